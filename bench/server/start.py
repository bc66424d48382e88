"""How long a start takes: events a second without a snapshot; with one, against reading snapshot and tail once.

The data is written by `parley bench` and the server killed; files come from the disk, not from memory, and so does the
reading that is compared (posix_fadvise; not on a memory file system).
"""
import os
import statistics
import struct
import time

import server

MESSAGES = 300_000  # their events stay below those after which a snapshot is made
MESSAGES_IN_SNAPSHOT = 900_000
MESSAGES_AFTER = 30_000
ROUNDS = 3


def files_of(folder):
    return sorted((path for path in folder.rglob("*") if path.is_file()), key=str)


def drop_from_memory(folder):
    for path in files_of(folder):
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def started(program, data, cold):
    """Milliseconds of the whole start, and what the server says of it."""
    if cold:
        drop_from_memory(data)
    with server.Server(program, data) as one:
        return one.seconds_to_listen * 1000, one.wait_for("recovered")


def blocks(segment):
    """Where its blocks lie: (byte, bytes, first position); docs/internals/journal-format.md."""
    with open(segment, "rb") as file:
        marker, at = None, 4096
        while True:
            file.seek(at)
            head = file.read(56)
            if len(head) < 56 or head[:8] == bytes(8) or marker not in (None, head[:8]):
                return
            marker = head[:8]
            length, first = struct.unpack_from("<I", head, 16)[0], struct.unpack_from("<Q", head, 48)[0]
            yield at, length, first
            at += length


def snapshot_and_tail(data):
    """What a start has to read: pieces of files as (path, byte, bytes)."""
    newest = max((data / "journal").glob("snapshot-*[0-9]"))
    position = int(newest.name.rpartition("-")[2])
    pieces = [(newest, 0, newest.stat().st_size)]
    for segment in sorted((data / "journal").glob("*.segment")):
        pieces += [(segment, at, length) for at, length, first in blocks(segment) if first > position]
    return pieces


def read_once(pieces):
    began = time.monotonic()
    for path, at, length in pieces:
        with open(path, "rb", buffering=0) as file:
            file.seek(at)
            while length > 0:
                length -= len(file.read(min(length, 4 << 20)))
    return (time.monotonic() - began) * 1000


def without_snapshot(program, where):
    with server.folder(where) as folder:
        data = folder / "data"
        with server.Server(program, data) as one:
            one.bench("--count", MESSAGES)
        for cold in (True, False):
            rates = []
            for _ in range(ROUNDS):
                _, said = started(program, data, cold)
                assert not said["from_snapshot"], said
                rates.append(said["events"] / said["milliseconds"] * 1000)
            yield (f"replay without a snapshot, {'disk' if cold else 'memory'}, events/s", statistics.median(rates),
                   150_000, 300_000)


def with_snapshot(program, where):
    with server.folder(where) as folder:
        data = folder / "data"
        with server.Server(program, data) as one:
            one.bench("--count", MESSAGES_IN_SNAPSHOT)
            one.stop()
        with server.Server(program, data) as one:
            one.bench("--count", MESSAGES_AFTER)
        pieces = snapshot_and_tail(data)
        size = sum(length for _, _, length in pieces) / 1e6
        for cold in (True, False):
            whole, reading = [], []
            for _ in range(ROUNDS):
                if cold:
                    drop_from_memory(data)
                reading.append(read_once(pieces))
                milliseconds, said = started(program, data, cold)
                assert said["from_snapshot"], said
                whole.append(milliseconds)
            from_where = "disk" if cold else "memory"
            begun, read = statistics.median(whole), statistics.median(reading)
            print(f"# {size:.0f} MB of snapshot and tail, {from_where}: start {begun:.0f} ms, reading {read:.0f} ms")
            yield f"start with a snapshot against reading it once, {from_where}", begun / read, 2, 1.5


def run(program, where):
    yield from without_snapshot(program, where)
    yield from with_snapshot(program, where)
