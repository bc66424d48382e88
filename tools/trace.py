"""Requirement id → the tests that prove it, and the rows that nothing proves yet.

A proof is a test that says so: with the id in its own name (`MSH_15_…`), or at the head of the comment that stands
directly above it (`// COR-04, F2: why`). That goes for a TEST of C++, for a scenario or one of its commands (`# …`), and
for a test that CMake adds (`# …`). An id anywhere else is talk.

trace.py [--json] [--check]   The rows are those of mission.md where PARLEY_SHARED has it, else those that tests name;
test/rows.txt lists those that are due. With --check the exit status is 1 where a due row has no proof or an id is none.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[1]
row = re.compile(r"\b(?:COL|PIP|HND|SUP|MSH|COR|BEY)-\d\d\b")
named = re.compile(r"(?:COL|PIP|HND|SUP|MSH|COR|BEY)_\d\d(?!\d)")
# "MSH-01, MSH-02 (direct and broadcast), R7": ids of rows, rulings, decisions and oracles, until the words begin.
head = re.compile(r"(?:(?:[A-Z]{3}-\d\d|[A-Z]\d{1,2})(?: \([^)]*\))?(?:, *|\b))+")
test_of = {
    ".cpp": re.compile(r"^\s*TEST(?:_F|_P)?\((.*)"),
    ".hpp": re.compile(r"^\s*TEST(?:_F|_P)?\((.*)"),
    "CMakeLists.txt": re.compile(r"^\s*(?:add_test|e2e_test|story_test)\((.*)"),
    ".txt": re.compile(r"^([^#\s].*)"),
}


def claims(comment):
    """The rows at the head of a comment."""
    found = head.match(comment.lstrip("/# "))
    return row.findall(found.group(0)) if found else []


def proofs_in(name, lines):
    kind = next((k for k in test_of if name.endswith(k) and (k != ".txt" or "scenarios/" in name)), None)
    if not kind:
        return
    mark = "//" if kind in (".cpp", ".hpp") else "#"
    above, answer = None, False  # first line of the comment that ends here; a script's printed answer
    for number, line in enumerate(lines, 1):
        if kind == ".txt" and (line == "----" or not line.strip()):
            above, answer = None, line == "----"
            continue
        if line.lstrip().startswith(mark) and not answer:
            above = above or number
            continue
        found = test_of[kind].match(line)
        if found and not answer:
            ids = [i.replace("_", "-") for i in named.findall(found.group(1))] if mark == "//" else []
            if above:
                ids += claims(lines[above - 1].strip())
            for i in dict.fromkeys(ids):
                yield i, number
        above = None


files = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
proofs = {}
for name in files:
    if not re.search(r"(_test\.cpp|_suite\.hpp|^test/scenarios/.*\.txt|^(test|sim)/.*CMakeLists\.txt)$", name):
        continue
    if (root / name).exists():
        for found, number in proofs_in(name, (root / name).read_text(encoding="utf-8").splitlines()):
            proofs.setdefault(found, []).append(f"{name}:{number}")

due = [line.split()[0] for line in (root / "test/rows.txt").read_text().splitlines() if row.match(line)]
mission = pathlib.Path(os.environ.get("PARLEY_SHARED", root / "../shared")) / "mission.md"
rows = sorted(set(row.findall(mission.read_text())) if mission.exists() else set(proofs) | set(due))
missing = [r for r in rows if r not in proofs]
short = [r for r in due if r not in proofs]
unknown = sorted(set(proofs) - set(rows))

if "--json" in sys.argv[1:]:
    print(json.dumps({r: proofs.get(r, []) for r in rows}, indent=2))
elif "--check" not in sys.argv[1:]:
    for r in rows:
        found = proofs.get(r, [])
        note = "" if r in due else "  (not due yet)" if found else ""
        print(f"{r}  {len(found):3}  {', '.join(found[:3])}{' …' if len(found) > 3 else ''}{note}")
    print(f"\n{len(rows) - len(missing)} rows with proofs, {len(missing)} without: {', '.join(missing)}")
    print(f"{len(due)} rows are due, {len(short)} of them without a proof{': ' if short else ''}{', '.join(short)}")
if "--check" in sys.argv[1:]:
    for r in short:
        print(f"{r} is due and no test names it: head its comment with the id")
    for r in unknown:
        print(f"{r} is no row: {', '.join(proofs[r])}")
    sys.exit(1 if short or unknown else 0)
