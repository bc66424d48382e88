#!/bin/sh
# usage: no_result.sh SCENARIOS — what is no result fails a script that expects it, and --rewrite leaves it out.
set -eu
scenarios=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# refuses COMMAND LINE: the command prints LINE, and no script may expect it.
refuses() {
  printf '%s\n----\n%s\n' "$1" "$2" >"$folder/expecting.txt"
  if "$scenarios" "$folder/expecting.txt" >"$folder/out"; then echo "passes: $2" && return 1; fi
  sed '1,/^got$/d' "$folder/out" | grep -qxF "$2" || { echo "not printed: $2" && cat "$folder/out" && return 1; }
  printf '%s\n----\nas it was\n' "$1" >"$folder/script.txt"
  cp "$folder/script.txt" "$folder/before.txt"
  if "$scenarios" --rewrite "$folder/script.txt" >"$folder/out"; then echo "rewritten: $2" && return 1; fi
  cmp "$folder/before.txt" "$folder/script.txt"
}

refuses 'no-such-command' "SCRIPT: no command 'no-such-command'"
refuses 'advance soon' 'WRONG: BROKEN: bad access to std::expected without expected value'
