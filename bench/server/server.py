"""A Parley server of one's own while a block runs: started, asked, killed, and the least of a WebSocket client."""
import base64
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

PATIENCE = 120  # seconds, for the server to listen


@contextlib.contextmanager
def folder(where=None):
    path = pathlib.Path(tempfile.mkdtemp(prefix="parley-bench-", dir=where))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


class Server:
    """`parley serve` over a data folder; listens when the constructor returns."""

    def __init__(self, program, data, journal="file"):
        self.program, self.data = program, pathlib.Path(data)
        self.log_file = self.data.parent / f"{self.data.name}.log"
        began = time.monotonic()
        with open(self.log_file, "w") as log:
            self.process = subprocess.Popen(
                [program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--journal", journal], stderr=log,
                stdout=subprocess.DEVNULL)
        try:
            self.url = self.wait_for("listening")["url"]
        except BaseException:
            self.kill()
            raise
        self.seconds_to_listen = time.monotonic() - began
        self.port = int(self.url.rpartition(":")[2])
        self.token = (self.data / "admin.token").read_text().strip()
        self.http = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def log(self):
        return [json.loads(line) for line in self.log_file.read_text().splitlines() if line.startswith("{")]

    def wait_for(self, event, patience=PATIENCE):
        until = time.monotonic() + patience
        while time.monotonic() < until:
            for line in self.log():
                if line["event"] == event:
                    return line
            if self.process.poll() is not None:
                break
            time.sleep(0.005)
        raise RuntimeError(f"no '{event}':\n{self.log_file.read_text()[-2000:]}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)

    def call(self, method, path, body=None, token=None):
        head = {"Authorization": f"Bearer {token or self.token}"}
        if body is not None:
            head["Content-Type"] = "application/json"
            body = json.dumps(body) if not isinstance(body, str) else body
        self.http.request(method, path, body, head)
        answer = self.http.getresponse()
        text = answer.read().decode()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:500]}")
        return json.loads(text) if answer.headers.get_content_type() == "application/json" else text

    def workspace(self, name="w"):
        self.call("POST", "/v1/workspaces", {"name": name, "validation": "strict", "settings": {
            "mailbox_messages": 1_000_000_000, "mailbox_bytes": 1 << 40, "tasks": 1_000_000_000}})
        return f"/v1/workspaces/{name}"

    def agent(self, workspace, name, role="developer"):
        return self.call("POST", f"{workspace}/agents", {"agent_id": name, "profile": "collab", "agent_type": role})["token"]

    def bench(self, *load):
        """`parley bench` on it, as its JSON."""
        self.http.close()  # the server closes what is quiet for so long
        command = [self.program, "bench", "--json", "--data", self.data, "--server", self.url, *load]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{command}\n{done.stdout[-500:]}{done.stderr[-1000:]}")
        return json.loads(done.stdout)

    def private_bytes(self):
        """What the process has of its own: neither files nor what is shared."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Private_Dirty:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("no Private_Dirty")

    def turns_ms(self):
        """The loop's turns so far: upper bound of a bucket in ms → how many fell into it."""
        counts, before = {}, 0
        for line in self.call("GET", "/metrics").splitlines():
            if not line.startswith("parley_loop_turn_seconds_bucket"):
                continue
            bound, count = line.partition('le="')[2].partition('"')[0], int(line.split()[-1])
            if count > before:
                counts[float(bound) * 1000] = count - before
            before = count
        return counts


class Stream:
    """One session over WebSocket; frames as Python values. Frames of the server are not masked (RFC 6455)."""

    def __init__(self, server, workspace, token, agent, credit=0):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {workspace}/stream HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                             f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                             f"Sec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101"):
            raise RuntimeError(head.decode())
        self.send({"id": 1, "op": "hello", "token": token, "agent_id": agent, "credit": credit})
        if self.receive()["op"] != "welcome":
            raise RuntimeError("not welcome")

    def more(self):
        part = self.socket.recv(1 << 20)
        if not part:
            raise RuntimeError("the server closed the stream")
        self.bytes += part

    def send(self, frame):
        text = frame.encode() if isinstance(frame, str) else json.dumps(frame).encode()
        head = b"\x81" + (struct.pack("!B", 0x80 | len(text)) if len(text) < 126 else
                          struct.pack("!BH", 0xFE, len(text)) if len(text) < 65536 else
                          struct.pack("!BQ", 0xFF, len(text)))
        self.socket.sendall(head + b"\0\0\0\0" + text)  # a mask of zeros changes nothing

    def receive(self):
        while True:
            if len(self.bytes) >= 2:
                length, at = self.bytes[1], 2
                if length >= 126:
                    size = 2 if length == 126 else 8
                    length, at = int.from_bytes(self.bytes[2:2 + size]), 2 + size
                if len(self.bytes) >= at + length and at <= len(self.bytes):
                    text, self.bytes = self.bytes[at:at + length], self.bytes[at + length:]
                    return json.loads(text)
            self.more()
