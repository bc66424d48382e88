#!/usr/bin/env python3
"""Two builds of the server side by side: the same work by the same load, in the same run, taking turns.

`./dev bench builds PROGRAM` measures the release build beside another `parley`, of an earlier commit. What is told are
medians over the rounds and the ratio of this build to the other.
"""
import argparse
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
import server  # noqa: E402

LOADS = {
    "end to end, deep window": [],
    "end to end, window 64, batch 16": ["--window", 64, "--batch", 16],
    "published only": ["--mode", "publish"],
}


def measure(serve, load_of, options, load):
    with server.folder(options.folder) as folder, server.Server(serve, folder / "data") as one:
        one.program = load_of  # both builds have the load of this one
        return one.bench("--duration", f"{options.seconds}s", "--contents", options.contents, *load)["messages_per_second"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", help="the program to measure beside")
    parser.add_argument("--parley", default="build/release/parley", help="the program to measure")
    parser.add_argument("--contents", default="remarks", choices=["remarks", "tasks"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--folder", default=None, help="where data folders are made (default: $TMPDIR)")
    options = parser.parse_args()
    this, other = (str(pathlib.Path(program).resolve()) for program in (options.parley, options.other))
    print(f"load average at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {options.contents}")
    print(f"{'messages a second, medians of ' + str(options.rounds):40} {'this':>10} {'other':>10} {'ratio':>7}")
    for name, load in LOADS.items():
        figures = {this: [], other: []}
        for round_number in range(options.rounds):
            for program in (this, other) if round_number % 2 == 0 else (other, this):
                figures[program].append(measure(program, this, options, load))
        ours, theirs = statistics.median(figures[this]), statistics.median(figures[other])
        print(f"{name:40} {ours:10,.0f} {theirs:10,.0f} {ours / theirs:7.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
