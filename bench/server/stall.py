"""The worst stall of the loop but for the sync: data in memory (/dev/shm), where a sync costs nothing; under load while
snapshots are made (one a minute, or each four million events), and where much happens at once.

The figure is the loop's own: the bucket of parley_loop_turn_seconds that the longest turn fell into, with all that the
machine did meanwhile. Beside it, in the lines with #, a process of its own asks for the limits, one request after the
other: an answer waits for the turn it came in, for the sync under way and for that of its own block. There the time in
which the loop's thread waited for a processor is taken off.
"""
import contextlib
import datetime
import http.client
import multiprocessing
import os
import pathlib
import time

import server

AGENTS = 10_000
QUEUED = 60_000


def waited_for_processor(thread):
    """Seconds in which the thread could have run, and others had the processors."""
    return int(pathlib.Path(f"/proc/{thread}/task/{thread}/schedstat").read_text().split()[1]) / 1e9


def probe(port, token, loop, pipe):
    with contextlib.suppress(PermissionError):  # its own waiting is not the loop's
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=server.PATIENCE)
    head = {"Authorization": f"Bearer {token}"}
    seen = []
    while not pipe.poll():
        waited, began = waited_for_processor(loop), time.monotonic()
        connection.request("GET", "/v1/limits", headers=head)
        connection.getresponse().read()
        took = time.monotonic() - began
        seen.append((1000 * took, 1000 * max(0.0, took - (waited_for_processor(loop) - waited))))
        time.sleep(0.0005)
    pipe.send(seen)


class Watched:
    """What the loop did while the block ran."""

    def __init__(self, one):
        self.one = one

    def __enter__(self):
        self.turns = self.one.turns_ms()
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=probe,
                                               args=(self.one.port, self.one.token, self.one.process.pid, theirs))
        self.process.start()
        theirs.close()  # so that the pipe ends where the probe does
        return self

    def seen_by_the_probe(self):
        try:
            self.pipe.send("enough")
            return self.pipe.recv()
        except (EOFError, OSError) as ended:
            raise RuntimeError("the probe ended early") from ended
        finally:
            self.process.join()

    def __exit__(self, problem, *_):
        if problem:
            self.process.kill()
            self.process.join()
            return
        seen = self.seen_by_the_probe()
        self.answers = len(seen)
        self.longest = max(took for took, _ in seen)
        of_the_loop = sorted(own for _, own in seen)
        self.longest_own, self.p99 = of_the_loop[-1], of_the_loop[len(seen) * 99 // 100]
        turns = self.one.turns_ms()
        self.long_turns = {bound: count - self.turns.get(bound, 0) for bound, count in turns.items()
                           if bound > 5 and count > self.turns.get(bound, 0)}
        self.longest_turn = max(self.long_turns, default=5)

    def row(self, what, floor=20, goal=5):
        print(f"# {what}: answers p99 {self.p99:.2f} ms of {self.answers}, longest {self.longest_own:.1f} "
              f"({self.longest:.1f} with waiting for a processor); turns up to ms: {self.long_turns or 'none above 5'}")
        return f"worst turn, {what}, at most ms", self.longest_turn, floor, goal


def message(number, to, expires_at=None):
    return {"protocol_version": "1.0.0", "message_id": f"msg-20260302090412-sender-{number}", "timestamp": stamp(0),
            "from_agent": "sender", "to_agent": to, "message_type": "data_update", "card_id": f"card-{number}",
            "priority": "medium", "data": {"summary": "x" * 200},
            "metadata": {"expires_at": expires_at} if expires_at else {}}


def stamp(seconds_from_now):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds_from_now)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def send(stream, messages, batch=500):
    for at in range(0, len(messages), batch):
        stream.send({"id": at + 2, "op": "send", "messages": messages[at:at + batch]})
        answer = stream.receive()
        for result in answer.get("results", [answer]):
            if "error" in result:
                raise RuntimeError(result["error"])


def registered(one, workspace, agents):
    tokens = {}
    for name in agents:
        body = {"agent_id": name, "profile": "pipeline", "agent_type": "development"}
        tokens[name] = one.call("POST", f"{workspace}/agents", body)["token"]
    return tokens


def under_load(one, what, *load):
    before = snapshots_made(one)
    with Watched(one) as watched:
        one.bench(*load)
    return watched.row(f"{what}, {snapshots_made(one) - before} snapshots made")


def snapshots_made(one):
    return sum(line["event"] == "snapshot_written" for line in one.log())


def many_agents(one, workspace, stream):
    with Watched(one) as watched:
        send(stream, [message(1_000_000 + i, "all") for i in range(10)], batch=1)
    return watched.row(f"10 broadcasts to {AGENTS:,} agents")


def expiry(one, workspace, stream):
    at = stamp(10)
    due = time.monotonic() + 10
    send(stream, [message(2_000_000 + i, f"agent-{i % AGENTS}", at) for i in range(QUEUED)])
    time.sleep(max(0.0, due - time.monotonic() - 0.5))
    with Watched(one) as watched:
        time.sleep(5)
    return watched.row(f"{QUEUED:,} messages expire at once")


def removal(one, workspace, stream):
    send(stream, [message(3_000_000 + i, "agent-7") for i in range(QUEUED)])
    with Watched(one) as watched:
        time.sleep(0.5)
        one.call("DELETE", f"{workspace}/agents/agent-7")
        time.sleep(1)
    return watched.row(f"an agent with {QUEUED:,} open messages is removed")


# Each on a server of its own: the tasks that a load begins stay open, and take their memory.
LOADS = {
    "40,000 messages a second": ("--rate", 40_000, "--duration", "75s"),
    "window 64": ("--window", 64, "--batch", 32, "--duration", "5s"),
    "deep window": ("--duration", "5s"),
    "deep window, longer": ("--count", 6_000_000),  # some 15 GB of tasks and of journal, both in memory
}


@contextlib.contextmanager
def fresh(program):
    with server.folder("/dev/shm") as folder, server.Server(program, folder / "data") as one:
        yield one


def run(program, _):
    with fresh(program) as one:
        with Watched(one) as watched:
            time.sleep(3)
        yield watched.row("nothing else to do (the machine's own)", None, None)
    for what, load in LOADS.items():
        with fresh(program) as one:
            yield under_load(one, what, *load)
    with fresh(program) as one:
        workspace = one.workspace()
        with Watched(one) as watched:
            tokens = registered(one, workspace, ["sender", *(f"agent-{i}" for i in range(AGENTS))])
        yield watched.row(f"{AGENTS:,} agents are registered")
        stream = server.Stream(one, workspace, tokens["sender"], "sender")
        for part in (many_agents, expiry, removal):
            yield part(one, workspace, stream)
