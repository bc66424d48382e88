"""Runs the commands of the guide's pages: every ```sh block, in the page's order, one shell a page, in a folder of its own.

guide.py PROGRAM FOLDER   A command that fails, fails the test. PROGRAM is what `parley` means.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program, folder = map(pathlib.Path, sys.argv[1:3])
pages = sorted(folder.glob("*.md"))
failed = not pages
for page in pages:
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as place:
        environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": place}
        script = "set -eux\n" + "\n".join(blocks)
        ran = subprocess.run(["bash", "-c", script], cwd=place, env=environment)
    print(f"{page.name}: {len(blocks)} blocks, {'done' if ran.returncode == 0 else 'FAILED'}")
    failed = failed or not blocks or ran.returncode != 0
sys.exit(1 if failed else 0)
