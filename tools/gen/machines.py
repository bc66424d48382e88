"""Writes machine/<name>.hpp from spec/machines/<name>.json: the states and legal moves of one mechanism as constexpr
tables. machines.py SOURCE TARGET"""
import json
import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:3])
machine = json.loads(source.read_text(encoding="utf-8"))
name = machine["name"]
states = machine["states"]
state_names = [s["name"] for s in states]
numbers = [s["number"] for s in states]
assert name == source.stem
assert numbers == sorted(set(numbers)) and numbers[0] >= 1 and numbers[-1] <= 31, "numbers are journaled: rising, 1 to 31"
assert len(set(state_names)) == len(states)


def word(text):
    return text.replace(".", "_")


def by_kind(move):
    """A move that several kinds make is a row for each of them."""
    if not isinstance(move.get("on"), list):
        return [move]
    return [{**move, "on": kind, "name": f"{move['name']}_by_{word(kind)}"} for kind in move["on"]]


moves = [row for move in machine["moves"] for row in by_kind(move)]
for move in moves:
    where = f"{source.name}: {move['name']}"
    assert set(move["from"]) <= set(state_names), where
    assert move["to"] in state_names or (move["to"] == "same" and move["from"]), where
    assert move["by"] in machine["parties"], where
    by_itself = "on" not in move and "call" not in move
    assert by_itself == (move["by"] == "server"), f"{where}: the server moves by itself, the others by a message or a call"
    assert move.get("when") is None or move["when"] in machine["guards"], where
    assert set(move.get("tells", {})) <= set(machine["parties"]), where
names = [m["name"] for m in moves]
assert len(set(names)) == len(names)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def enum(kind, entries):
    return [f"enum class {kind} : std::uint8_t {{", *[f"  {e}," for e in entries], "};", ""]


def from_set(move):
    if not move["from"]:
        return "of(State::none)"
    return " | ".join(f"of(State::{s})" for s in move["from"])


def row(move):
    on = f"envelope::Kind::{word(move['on'])}" if "on" in move else "std::nullopt"
    told = move.get("tells", {})
    assert len(told) <= 2
    tells = "{{" + ", ".join(f"{{Party::{who}, {quoted(what)}}}" for who, what in told.items()) + "}}"
    to = "std::nullopt" if move["to"] == "same" else f"State::{move['to']}"
    return (
        f"    {{{quoted(move['name'])}, {on}, Party::{move['by']}, Guard::{move.get('when', 'always')},\n"
        f"     {from_set(move)}, {to}, {tells}}},"
    )


over = [s["name"] for s in states if s.get("over")]
lines = [
    f"// Generated from spec/machines/{source.name} by tools/gen/machines.py. Do not edit.",
    "#pragma once",
    "#include <array>",
    "#include <cstdint>",
    "#include <optional>",
    "#include <string_view>",
    "",
    '#include "envelope/kind.hpp"',
    "",
    f"namespace parley::machine::{name} {{",
    "",
    *enum("State", ["none = 0", *[f"{s['name']} = {s['number']}" for s in states]]),
    *enum("Party", machine["parties"]),
    *enum("Guard", ["always", *machine["guards"]]),
    *enum("Step", names),
    "constexpr std::uint32_t of(State state) { return std::uint32_t{1} << static_cast<unsigned>(state); }",
    "",
    "struct Told {",
    "  Party who;",
    "  std::string_view occasion;  // of a profile's `says`; empty: nobody is told",
    "};",
    "",
    "struct Move {",
    "  std::string_view name;",
    "  std::optional<envelope::Kind> on;  // none: the server's own",
    "  Party by;",
    "  Guard when;",
    "  std::uint32_t from;  // a set of states",
    "  std::optional<State> to;  // none: it stays",
    "  std::array<Told, 2> tells;",
    "};",
    "",
    f"inline constexpr std::array<Move, {len(moves)}> moves{{{{",
    *[row(m) for m in moves],
    "}};",
    "",
    "constexpr const Move& move_of(Step step) { return moves[static_cast<std::size_t>(step)]; }",
    "",
    *(
        ["constexpr bool is_over(State state) { return (of(state) & (" + " | ".join(f"of(State::{s})" for s in over) + ")) != 0; }", ""]
        if over
        else []
    ),
    "constexpr std::string_view name(State state) {",
    "  switch (state) {",
    '    case State::none: return "none";',
    *[f"    case State::{s}: return {quoted(s)};" for s in state_names],
    "  }",
    '  return "";',
    "}",
    "",
    f"}}  // namespace parley::machine::{name}",
    "",
]
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text("\n".join(lines), encoding="utf-8")
