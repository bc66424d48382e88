"""Requirement id → where it is proved, from the ids in tests and data; and the rows that nothing names yet.

The rows are those of mission.md where PARLEY_SHARED has it, else those that the tests name.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[1]
row = re.compile(r"\b(?:COL|PIP|HND|SUP|MSH|COR|BEY)-\d\d\b")
places = re.compile(r"(_test\.cpp|^test/|^sim/|/test_|conformance)")

files = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
proofs = {}
for name in files:
    if not places.search(name) or name.endswith(".md"):
        continue
    try:
        lines = (root / name).read_text(encoding="utf-8").splitlines()
    except (UnicodeDecodeError, FileNotFoundError):
        continue
    for number, line in enumerate(lines, 1):
        for found in row.findall(line):
            proofs.setdefault(found, []).append(f"{name}:{number}")

mission = pathlib.Path(os.environ.get("PARLEY_SHARED", root / "../shared")) / "mission.md"
rows = sorted(set(row.findall(mission.read_text())) if mission.exists() else proofs)
if "--json" in sys.argv[1:]:
    print(json.dumps({r: proofs.get(r, []) for r in rows}, indent=2))
else:
    for r in rows:
        found = proofs.get(r, [])
        print(f"{r}  {len(found):3}  {', '.join(found[:3])}{' …' if len(found) > 3 else ''}")
    missing = [r for r in rows if r not in proofs]
    print(f"\n{len(rows) - len(missing)} rows with proofs, {len(missing)} without: {', '.join(missing)}")
