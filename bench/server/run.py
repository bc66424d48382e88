#!/usr/bin/env python3
"""Budgets of a whole server that have no peer (ARCHITECTURE.md): `./dev bench server [idle] [start] [stall]`."""
import argparse
import importlib
import os
import pathlib
import sys

PARTS = ["idle", "start", "stall"]


def verdict(value, floor, goal):
    if floor is None:
        return "none"
    less_is_better = floor >= goal
    reached = (lambda bound: value <= bound) if less_is_better else (lambda bound: value >= bound)
    return "goal" if reached(goal) else "floor" if reached(floor) else "BELOW"


def shown(figure, value, floor, goal):
    row = f"{figure:58} {value:12,.2f}"
    return row if floor is None else f"{row} {floor:12,} {goal:12,}  {verdict(value, floor, goal)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=" ".join(PARTS))
    parser.add_argument("--parley", default="build/release/parley", help="the program to measure")
    parser.add_argument("--folder", default=None, help="where data folders are made (default: $TMPDIR)")
    options = parser.parse_args()
    program = pathlib.Path(options.parley).resolve()
    print(f"load average at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'figure':58} {'value':>12} {'floor':>12} {'goal':>12}")
    below = False
    for part in options.parts or PARTS:
        for row in importlib.import_module(part).run(str(program), options.folder):
            print(shown(*row), flush=True)
            below = below or verdict(*row[1:]) == "BELOW"
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
