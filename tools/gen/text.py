"""Writes one file of spec/ as a C++ string_view: text.py SOURCE TARGET NAMESPACE NAME (declared extern elsewhere)."""
import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:3])
namespace, name = sys.argv[3:5]
text = source.read_text(encoding="utf-8")
assert ')parley"' not in text
piece = 16000  # compilers need accept literals of 64 KiB only
pieces = [text[i : i + piece] for i in range(0, len(text), piece)]
literal = "\n".join(f'R"parley({p})parley"' for p in pieces)
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text(
    f"// Generated from {source.name} by tools/gen/text.py. Do not edit.\n#include <string_view>\n\n"
    f"namespace {namespace} {{\n\nextern const std::string_view {name};\n"
    f"const std::string_view {name} = {literal};\n\n}}  // namespace {namespace}\n",
    encoding="utf-8",
)
