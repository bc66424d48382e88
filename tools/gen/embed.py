"""Writes the data of spec/ that the binary carries as C++: an array of {path, bytes}, sorted by path.

embed.py ROOT TARGET PATH…   PATHs (files or folders) lie under ROOT; the paths written are relative to ROOT.
"""
import pathlib
import sys

from raw_literal import raw_literal

root, target = map(pathlib.Path, sys.argv[1:3])
files = sorted(
    file
    for path in map(root.joinpath, sys.argv[3:])
    for file in ([path] if path.is_file() else path.rglob("*.json"))
)

lines = [
    "// Generated from spec/ by tools/gen/embed.py. Do not edit.",
    '#include "profile/embedded.hpp"',
    "",
    "#include <array>",
    "",
    "namespace parley::profile {",
    "namespace {",
    "",
    "using namespace std::string_view_literals;",
    "",
    f"constexpr std::array<EmbeddedFile, {len(files)}> files{{{{",
]
for file in files:
    path = file.relative_to(root).as_posix()
    lines.append(f'    {{"{path}"sv, {raw_literal(file.read_text(encoding="utf-8"))}sv}},')
lines += [
    "}};",
    "",
    "}  // namespace",
    "",
    "std::span<const EmbeddedFile> embedded_files() {",
    "  return files;",
    "}",
    "",
    "}  // namespace parley::profile",
    "",
]
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text("\n".join(lines), encoding="utf-8")
