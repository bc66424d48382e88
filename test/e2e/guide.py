"""Runs the commands of documents: every ```sh block of a page, in the page's order, one shell a page.

guide.py PROGRAM ROOT PAGE…   PAGE is a Markdown file of ROOT, or a folder of them. PROGRAM is what `parley` means. A command
that fails, fails the test. Each page has a home of its own, in a folder that looks like ROOT (`docs`, `spec`), where a
server is running already, as README says; a page that wants another starts it. A block that begins with ```sh needs NAME
is left out where Python has no such module.
"""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

program, root = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
pages = []
for word in sys.argv[3:]:
    path = root / word
    pages += sorted(path.glob("*.md")) if path.is_dir() else [path]
PATIENCE = 280  # seconds for all; below ctest's, which would kill this and none of what it has started
deadline = time.monotonic() + PATIENCE
block = re.compile(r"^```sh(?: needs (\w+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


@contextlib.contextmanager
def serving(environment, place):
    """A server on a free port; it listens once server.json is there."""
    with open(place / "server.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0"], env=environment, stdout=log, stderr=log)
    try:
        while time.monotonic() < deadline and server.poll() is None:
            if (place / ".local/share/parley/server.json").exists():
                break
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def commands(page, environment):
    blocks = block.findall(page.read_text(encoding="utf-8"))
    for needed, text in blocks:
        if needed and subprocess.run(["python3", "-c", f"import {needed}"], env=environment, stderr=subprocess.DEVNULL).returncode:
            print(f"{page.name}: Python has no module {needed}, a block is left out")
            continue
        yield text


def run(texts, place, environment):
    """Whether all commands went well, in time. A group of its own: whatever a page leaves running ends with it."""
    shell = subprocess.Popen(["bash", "-c", "set -eux\n" + "\n".join(texts)], cwd=place, env=environment, start_new_session=True)
    last_word = signal.SIGKILL
    try:
        status = shell.wait(max(0.0, deadline - time.monotonic()))
        last_word = signal.SIGTERM
        return status == 0
    except subprocess.TimeoutExpired:
        print(f"its commands have not ended within {PATIENCE} seconds")
        return False
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, last_word)
        shell.wait()


def is_right(page):
    with tempfile.TemporaryDirectory() as home:
        place = pathlib.Path(home)
        for name in ("docs", "spec"):
            (place / name).symlink_to(root / name)
        # The system's own Python has the modules that `./dev setup` installs.
        environment = {"PATH": f"{program.parent}:/usr/bin:{os.environ['PATH']}", "HOME": home, "TMPDIR": home}
        texts = list(commands(page, environment))
        with serving(environment, place):
            right = bool(texts) and run(texts, place, environment)
    print(f"{page.relative_to(root)}: {len(texts)} blocks, {'done' if right else 'FAILED'}", flush=True)
    return right


results = [is_right(page) for page in pages]
sys.exit(0 if results and all(results) else 1)
