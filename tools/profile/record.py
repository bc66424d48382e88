#!/usr/bin/env python3
"""Records what a server does under load, by which releases are compiled (docs/decisions/0019).

`./dev profile` builds a program that counts what it runs, puts the loads below on it, and merges the counts into
tools/profile/parley.profdata. Functions that no load reaches are left out, and compiled as without a profile.
"""
import argparse
import os
import pathlib
import shutil
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
    "work, deep window": ["--contents", "work", "--batch", 64],
    "work, window 64": ["--contents", "work", "--window", 64, "--batch", 16],
    "HTTP, 64 connections": ["--transport", "http", "--producers", 64, "--mode", "publish"],
}
STORIES = ["collab", "handoff", "supervisor"]
MERGE = "llvm-profdata-19"
OF_STORIES = "write_verdict"  # a function that no load reaches: where it is missing, so are the stories' servers


def end(one):
    """In good order: it writes its counts then."""
    one.stop()
    if one.process.returncode != 0:
        raise RuntimeError(f"the server ended with {one.process.returncode}:\n{one.log_file.read_text()[-2000:]}")


def load(program, options):
    """A server for each load, which is started again on what it has stored."""
    for name, arguments in LOADS.items():
        print(f"recording: {name}", file=sys.stderr, flush=True)
        with server.folder(options.folder) as folder:
            with server.Server(program, folder / "data") as one:
                one.bench("--duration", f"{options.seconds}s", *arguments)
                end(one)
            with server.Server(program, folder / "data") as again:
                end(again)
    for story in STORIES:
        print(f"recording: the story {story}", file=sys.stderr, flush=True)
        subprocess.run([program, "scenario", story], check=True, stdout=subprocess.DEVNULL)


def merge(counts, recorded):
    """All counts into one profile, which takes the place of the last one when it is whole."""
    written = sorted(str(path) for path in counts.glob("*.profraw"))
    merged = counts / "parley.profdata"
    subprocess.run([MERGE, "merge", "--sparse", "-o", merged, *written], check=True)
    shown = subprocess.run([MERGE, "show", f"--function={OF_STORIES}", merged], check=True, capture_output=True, text=True)
    if "Functions shown: 0" in shown.stdout:
        raise RuntimeError(f"no {OF_STORIES} among what was recorded: the stories' servers have left no counts")
    shutil.copyfile(merged, recorded)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="a parley that was built with PARLEY_PROFILE=record")
    parser.add_argument("--seconds", type=int, default=5, help="of each load")
    parser.add_argument("--folder", default=None, help="where data folders are made (default: $TMPDIR)")
    options = parser.parse_args()
    if not shutil.which(MERGE):
        sys.exit(f"no {MERGE}: `./dev profile` installs it")
    with tempfile.TemporaryDirectory() as counts:
        os.environ["LLVM_PROFILE_FILE"] = f"{counts}/%p.profraw"
        load(str(pathlib.Path(options.program).resolve()), options)
        merge(pathlib.Path(counts), HERE / "parley.profdata")


if __name__ == "__main__":
    sys.exit(main())
