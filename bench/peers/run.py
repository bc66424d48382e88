#!/usr/bin/env python3
"""Measures Parley beside its peers: the same work, the same machine, the same run, taking turns.

Each measurement starts a fresh server on loopback with a fresh folder on the same disk, puts the load on it, and takes
both down again. Rounds alternate through all measurements; what is told are medians over the rounds, and ratios against
the floors and goals of ARCHITECTURE.md's budgets. Everything is stopped and removed at the end, also on Ctrl-C.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

START_PATIENCE = 60  # seconds
# A disk's interrupts come to one core: a sync takes longer on the others, and is compared with a raw one on the same.
PINNED_SERVER, PINNED_LOAD = ["taskset", "-c", "0"], ["taskset", "-c", "1"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port, process):
    deadline = time.monotonic() + START_PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended at once with status {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.2):
            return
        time.sleep(0.02)
    raise RuntimeError(f"{process.args[0]} does not listen")


def wait_for_file(path):
    """The server says where it listens once it does; its tokens are for that address."""
    deadline = time.monotonic() + START_PATIENCE
    while time.monotonic() < deadline:
        if path.exists():
            return
        time.sleep(0.02)
    raise RuntimeError(f"no {path}")


@contextlib.contextmanager
def running(command, port, cwd, environment=None):
    """A server while the block runs; its output goes to server.log in `cwd`."""
    with open(pathlib.Path(cwd) / "server.log", "w") as log:
        process = subprocess.Popen(command, cwd=cwd, stdout=log, stderr=log, start_new_session=True,
                                   env={**os.environ, **(environment or {})})
        try:
            wait_for_port(port, process)
            yield process
        except Exception:
            log.flush()
            tail = (pathlib.Path(cwd) / "server.log").read_text(errors="replace")[-2000:]
            print(f"--- {command[0]}:\n{tail}", file=sys.stderr)
            raise
        finally:
            for sign in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, sign)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=10)
                    break


def output_of(command, timeout):
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    try:
        figures = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout[-500:]}{done.stderr[-2000:]}") from None
    if "error" in figures or not figures.get("complete", True):
        raise RuntimeError(f"not complete: {' '.join(map(str, command))}\n{done.stdout}")
    return figures


class Bench:
    def __init__(self, options):
        self.options = options
        self.programs = pathlib.Path(options.programs).resolve()
        self.parley_binary = pathlib.Path(options.parley).resolve()
        self.patience = options.seconds * 6 + 300

    @contextlib.contextmanager
    def folder(self):
        path = tempfile.mkdtemp(prefix="parley-bench-", dir=self.options.folder)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def work(self, count):
        return ["--count", count] if count else ["--seconds", self.options.seconds]

    def parley(self, *load, journal="file", count=None, pinned=False):
        pin_server, pin_load = (PINNED_SERVER, PINNED_LOAD) if pinned else ([], [])
        amount = ["--count", count] if count else ["--duration", f"{self.options.seconds}s"]
        with self.folder() as folder:
            port = free_port()
            server = [*pin_server, self.parley_binary, "serve", "--data", folder, "--listen", f"127.0.0.1:{port}",
                      "--journal", journal, "--log-level", "warning"]
            with running(list(map(str, server)), port, folder):
                wait_for_file(pathlib.Path(folder, "server.json"))
                command = [*pin_load, self.parley_binary, "bench", "--json", "--data", folder, "--server",
                           f"http://127.0.0.1:{port}", *amount, *load]
                return output_of(list(map(str, command)), self.patience)

    def nats(self, *load, count=None):
        with self.folder() as folder:
            port = free_port()
            server = ["nats-server", "-js", "-sd", folder, "-a", "127.0.0.1", "-p", str(port)]
            with running(server, port, folder):
                command = [self.programs / "peer_nats", "--url", f"nats://127.0.0.1:{port}", *self.work(count), *load]
                return output_of(list(map(str, command)), self.patience)

    def redis(self, *load, count=None):
        with self.folder() as folder:
            port = free_port()
            server = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", folder, "--save", "",
                      "--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]
            with running(server, port, folder):
                command = [self.programs / "peer_redis", "--port", port, *self.work(count), *load]
                return output_of(list(map(str, command)), self.patience)

    def rabbitmq(self, *load, count=None):
        with self.folder() as folder:
            port, dist, names = free_port(), free_port(), str(free_port())
            environment = {
                "RABBITMQ_NODENAME": f"parley-bench-{port}@localhost", "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
                "RABBITMQ_NODE_PORT": str(port), "RABBITMQ_DIST_PORT": str(dist), "RABBITMQ_MNESIA_BASE": folder,
                "RABBITMQ_LOG_BASE": folder, "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
                "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": names, "HOME": folder,
            }
            pathlib.Path(folder, "plugins").write_text("[].\n")
            server = [self.rabbitmq_program()]
            try:
                with running(server, port, folder, environment):
                    command = [self.programs / "peer_rabbitmq", "--port", port, *self.work(count), *load]
                    return output_of(list(map(str, command)), self.patience)
            finally:  # Erlang's name server, which detaches itself; on a port of its own, so it is ours
                subprocess.run(["epmd", "-port", names, "-kill"], env={**os.environ, **environment},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    @staticmethod
    def rabbitmq_program():
        """The server itself: Debian's /usr/sbin wrapper changes to a user of its own."""
        found = sorted(pathlib.Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*/sbin/rabbitmq-server"))
        return str(found[-1]) if found else "rabbitmq-server"

    def raw_sync(self, pinned=False):
        with self.folder() as folder:
            command = [*(PINNED_SERVER if pinned else []), self.programs / "raw_sync", "--file", f"{folder}/raw",
                       "--seconds", "2"]
            return output_of(list(map(str, command)), 60)


def rate(figures):
    return figures["messages_per_second"]


def ack_p50(figures):
    return figures["ack_latency_us"]["p50"]


def measurements(bench, options):
    """name → (what to run, which figure of its output counts)"""
    deep = ("--window", 8192)
    table = {
        "disk: raw fdatasync p50, µs": (bench.raw_sync, lambda figures: figures["p50"]),
        "disk: raw fdatasync p50, pinned, µs": (lambda: bench.raw_sync(pinned=True), lambda figures: figures["p50"]),
        # Frames of 64 stay in a core's cache, those of 256 (the default) do not.
        "parley: deep window": (lambda: bench.parley("--batch", 64), rate),
        "nats: deep window": (lambda: bench.nats(*deep), rate),
        "redis: 16 × 64": (lambda: bench.redis("--connections", 16, "--window", 64), rate),
        # Each task is acknowledged and completed, too; 8,192 are under way.
        "parley: work": (lambda: bench.parley("--contents", "work", "--batch", 64), rate),
        # In four frames, as the peers have many publishes under way; what a taker may hold is as large as theirs.
        "parley: window 64": (lambda: bench.parley("--window", 64, "--batch", 16), rate),
        "nats: window 64": (lambda: bench.nats("--window", 64), rate),
        "redis: 1 × 64": (lambda: bench.redis("--connections", 1, "--window", 64), rate),
        "parley: publish only": (lambda: bench.parley("--mode", "publish"), rate),
        "redis: publish only, 16 × 64":
            (lambda: bench.redis("--mode", "publish", "--connections", 16, "--window", 64), rate),
        "parley: ack p50 one at a time, pinned, µs":
            (lambda: bench.parley("--mode", "publish", "--window", 1, "--batch", 1, pinned=True), ack_p50),
        "parley: ack p50 at 50 k/s, µs": (lambda: bench.parley("--rate", 50_000), ack_p50),
        "parley: HTTP, one POST a message, 64 connections":
            (lambda: bench.parley("--transport", "http", "--producers", 64, "--mode", "publish"), rate),
        "parley: the same, validating without storing":
            (lambda: bench.parley("--transport", "http", "--producers", 64, "--mode", "publish", journal="memory"),
             rate),
    }
    if options.long:
        count = 2_000_000
        table["parley: 2 GB"] = (lambda: bench.parley(count=count), rate)
        table["nats: 2 GB"] = (lambda: bench.nats(*deep, count=count), rate)
    if options.rabbitmq:
        table["rabbitmq: quorum queue"] = (lambda: bench.rabbitmq("--window", 4096), rate)
    return {name: row for name, row in table.items() if not options.only or any(word in name for word in options.only)}


# figure, ours, against, how they compare, floor, goal (ARCHITECTURE.md, Budgets)
BUDGETS = [
    ("end to end, deep window", "parley: deep window", "nats: deep window", "ratio", 3, 5),
    ("end to end, deep window", "parley: deep window", "redis: 16 × 64", "ratio", 1.3, 2),
    ("the same, tasks worked on", "parley: work", "nats: deep window", "ratio", None, None),
    ("the same over 2 GB", "parley: 2 GB", "nats: 2 GB", "ratio", 1.5, 3),
    ("end to end, window 64", "parley: window 64", "nats: window 64", "ratio", 2.5, 4),
    ("end to end, window 64", "parley: window 64", "redis: 1 × 64", "ratio", 2.5, 4),
    ("publish only", "parley: publish only", "redis: publish only, 16 × 64", "ratio", 1, 1.5),
    ("ack p50, one at a time", "parley: ack p50 one at a time, pinned, µs", "disk: raw fdatasync p50, pinned, µs", "plus",
     170, 100),
    ("ack p50 at 50 k/s", "parley: ack p50 at 50 k/s, µs", "disk: raw fdatasync p50, µs", "times", 8, 5),
    ("HTTP, one POST a message", "parley: HTTP, one POST a message, 64 connections",
     "parley: the same, validating without storing", "ratio", 0.6, 0.75),
    ("end to end, deep window", "parley: deep window", "rabbitmq: quorum queue", "ratio", None, None),
]


def verdict(kind, value, floor, goal):
    if floor is None:
        return ""
    reached = (lambda bound: value >= bound) if kind == "ratio" else (lambda bound: value <= bound)
    return "goal" if reached(goal) else "floor" if reached(floor) else "BELOW"


def compared(figures):
    rows = []
    for title, ours, against, kind, floor, goal in BUDGETS:
        if not figures.get(ours) or not figures.get(against):
            continue
        mine, theirs = statistics.median(figures[ours]), statistics.median(figures[against])
        value = mine - theirs if kind == "plus" else mine / theirs
        rows.append({"figure": title, "ours": ours, "against": against, "median_ours": mine, "median_against": theirs,
                     "compare": kind, "value": round(value, 3), "floor": floor, "goal": goal,
                     "verdict": verdict(kind, value, floor, goal)})
    return rows


def shown(kind, value):
    if value is None:
        return "-"
    return {"plus": f"+{value:.0f} µs" if value >= 0 else f"{value:.0f} µs", "times": f"{value:.1f} ×",
            "ratio": f"{value:.2f} ×"}[kind]


def print_table(figures, rows):
    print(f"\n{'measurement':52} {'median':>12} {'least':>12} {'most':>12}  rounds")
    for name, values in figures.items():
        if values:
            print(f"{name:52} {statistics.median(values):12,.0f} {min(values):12,.0f} {max(values):12,.0f}  {len(values)}")
    print(f"\n{'budget':26} {'against':48} {'value':>9} {'floor':>9} {'goal':>9}")
    for row in rows:
        kind = row["compare"]
        print(f"{row['figure']:26} {row['against']:48} {shown(kind, row['value']):>9} {shown(kind, row['floor']):>9} "
              f"{shown(kind, row['goal']):>9}  {row['verdict']}")


def missing_programs(bench, table):
    needed = {"nats": ("nats-server", bench.programs / "peer_nats"),
              "redis": ("redis-server", bench.programs / "peer_redis"),
              "rabbitmq": (bench.rabbitmq_program(), bench.programs / "peer_rabbitmq"),
              "disk": (bench.programs / "raw_sync",), "parley": (bench.parley_binary,)}
    used = {name.split(":")[0] for name in table}
    return sorted({str(program) for peer in used for program in needed[peer] if not shutil.which(str(program))})


def arguments():
    parser = argparse.ArgumentParser(description="Measures Parley beside its peers.")
    parser.add_argument("--parley", default="build/release/parley", help="the program to measure")
    parser.add_argument("--programs", default="build/release/bench/peers", help="folder of the peers' load generators")
    parser.add_argument("--folder", default=None, help="where the servers' folders are made (default: $TMPDIR)")
    parser.add_argument("--seconds", type=int, default=10, help="of load in each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--long", action="store_true", help="also 2 GB, against NATS")
    parser.add_argument("--rabbitmq", action="store_true", help="also a RabbitMQ quorum queue")
    parser.add_argument("--only", action="append", help="only measurements whose name holds this; may be repeated")
    parser.add_argument("--json", help="a file for all figures")
    return parser.parse_args()


def main():
    options = arguments()
    for sign in (signal.SIGINT, signal.SIGTERM):  # also where a shell in the background had it ignored
        signal.signal(sign, signal.default_int_handler)
    bench = Bench(options)
    table = measurements(bench, options)
    if missing := missing_programs(bench, table):
        sys.exit("missing: " + ", ".join(missing) + "\n`./dev setup` installs the peers; "
                 "`cmake --build --preset release --target parley bench_peers` builds the rest.")
    figures = {name: [] for name in table}
    failures = []
    try:
        for number in range(1, options.rounds + 1):
            for name, (measure, figure) in table.items():
                try:
                    figures[name].append(figure(measure()))
                    print(f"round {number}  {name:52} {figures[name][-1]:12,.0f}", flush=True)
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    failures.append({"round": number, "measurement": name, "error": str(error)})
                    print(f"round {number}  {name:52} FAILED: {error}", flush=True)
    except KeyboardInterrupt:
        print("\nstopped; what there is so far:")
    rows = compared(figures)
    print_table(figures, rows)
    if options.json:
        result = {"seconds": options.seconds, "figures": figures, "budgets": rows, "failures": failures}
        pathlib.Path(options.json).write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    if failures or any(row["verdict"] == "BELOW" for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
