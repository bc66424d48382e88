"""Writes catalog/error_code.hpp from spec/catalog/errors.json: the same names in C++, docs and SDKs."""
import json
import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:3])
errors = json.loads(source.read_text())["errors"]
names = [e["code"] for e in errors]
assert names == sorted(set(names)), "errors.json: codes must be unique and in alphabetical order"


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


lines = [
    "// Generated from spec/catalog/errors.json by tools/gen/errors.py. Do not edit.",
    "#pragma once",
    "#include <array>",
    "#include <cstdint>",
    "#include <string_view>",
    "",
    "namespace parley::base {",
    "",
    "enum class ErrorCode : std::uint16_t {",
    *[f"  {n}," for n in names],
    "};",
    "",
    "struct ErrorInfo {",
    "  std::string_view name;",
    "  int http_status;",
    "  std::string_view text;  // what it means, for the reference",
    "  std::string_view hint;  // what to do next, where the refusal itself says nothing better",
    "};",
    "",
    f"inline constexpr std::array<ErrorInfo, {len(errors)}> error_infos{{{{",
    *[f"    {{{quoted(e['code'])}, {e['http']}, {quoted(e['text'])}, {quoted(e['hint'])}}}," for e in errors],
    "}};",
    "",
    "constexpr const ErrorInfo& info(ErrorCode code) { return error_infos[static_cast<std::uint16_t>(code)]; }",
    "",
    "}  // namespace parley::base",
    "",
]
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text("\n".join(lines))
