"""Writes one file of spec/ as a C++ string_view: text.py SOURCE TARGET NAMESPACE NAME (declared extern elsewhere)."""
import pathlib
import sys

from raw_literal import raw_literal

source, target = map(pathlib.Path, sys.argv[1:3])
namespace, name = sys.argv[3:5]
text = source.read_text(encoding="utf-8")
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text(
    f"// Generated from {source.name} by tools/gen/text.py. Do not edit.\n#include <string_view>\n\n"
    f"namespace {namespace} {{\n\nextern const std::string_view {name};\n"
    f"const std::string_view {name} = {raw_literal(text)};\n\n}}  // namespace {namespace}\n",
    encoding="utf-8",
)
