#!/usr/bin/env python3
"""Records what a server does under load, by which releases are compiled (docs/decisions/0019).

`./dev profile` builds a program that counts what it runs, puts the loads below on it, and merges the counts into
tools/profile/parley.profdata. Code that no load reaches is left out, and compiled as without a profile.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench" / "server"))
import server  # noqa: E402

LOADS = {
    "assignments, deep window": [],
    "assignments, window 64": ["--window", 64, "--batch", 16],
    "assignments, published only": ["--mode", "publish"],
    "assignments, one at a time": ["--mode", "publish", "--window", 1, "--batch", 1],
    "remarks": ["--contents", "remarks"],
    "HTTP, 64 connections": ["--transport", "http", "--producers", 64, "--mode", "publish"],
}
STORIES = ["collab", "handoff", "supervisor"]


def load(program, options):
    """One server for each load, stopped in good order, for it writes its counts as it ends; then started again."""
    for name, arguments in LOADS.items():
        print(f"recording: {name}", file=sys.stderr, flush=True)
        with server.folder(options.folder) as folder:
            with server.Server(program, folder / "data") as one:
                one.bench("--duration", f"{options.seconds}s", *arguments)
                one.stop()
            with server.Server(program, folder / "data") as again:
                again.stop()
    for story in STORIES:
        print(f"recording: the story {story}", file=sys.stderr, flush=True)
        subprocess.run([program, "scenario", story], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="a parley that was built with PARLEY_PROFILE=record")
    parser.add_argument("--seconds", type=int, default=5, help="of each load")
    parser.add_argument("--folder", default=None, help="where data folders are made (default: $TMPDIR)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as counts:
        os.environ["LLVM_PROFILE_FILE"] = f"{counts}/%p.profraw"
        load(str(pathlib.Path(options.program).resolve()), options)
        written = sorted(str(path) for path in pathlib.Path(counts).iterdir())
        subprocess.run(["llvm-profdata-19", "merge", "--sparse", "-o", HERE / "parley.profdata", *written], check=True)


if __name__ == "__main__":
    sys.exit(main())
