#!/bin/sh
# usage: run.sh COMPARE SOURCE OUT — compares Parley's validator with ajv. Exit status 77: skipped, with the reason.
set -eu
compare=$1 source=$2 out=$3
here=$source/test/conformance/schema
command -v node >/dev/null || { echo "skipped: there is no node"; exit 77; }
[ -d "$here/node_modules/ajv" ] || { echo "skipped: run \`npm ci\` in test/conformance/schema first"; exit 77; }
cd "$here"
node generate.mjs --pairs "${PARLEY_PAIRS:-100000}" --seed "${PARLEY_SEED:-1}" --profiles "$source/spec/profiles" >"$out"
"$compare" "$out"
