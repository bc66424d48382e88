"""Whether what the documents link to is there: relative links of every tracked Markdown file. Prints each that leads nowhere."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
tracked = set(subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.splitlines())
folders = {parent.as_posix() for name in tracked for parent in pathlib.PurePosixPath(name).parents}
link = re.compile(r"\]\(([^)\s#]+)[^)\s]*\)")
dead = []
for name in sorted(n for n in tracked if n.endswith(".md")):
    page = root / name
    if not page.exists():
        continue
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in link.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        place = (page.parent / target).resolve()
        if not place.is_relative_to(root) or place.relative_to(root).as_posix() not in tracked | folders:
            dead.append(f"{name}: {target}")
if dead:
    sys.exit("leads nowhere:\n" + "\n".join(dead))
print("links: in order")
