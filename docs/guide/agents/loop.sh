#!/usr/bin/env bash
# An agent of the command line: takes one message after the other and gives each to a program, as JSON on its standard input.
# loop.sh AGENT PROGRAM…    The program sends what there is to answer; exit status 0: acknowledge, else: give back.
set -u
agent=$1
shift
while true; do
  # 1 where nothing came or the server is away: once more.
  frame=$(parley wait --as "$agent" --json --lease 10m --timeout 30s 2> /dev/null) || { sleep 1; continue; }
  id=$(jq -r '.deliveries[0].delivery_id' <<< "$frame")
  if jq '.deliveries[0].message // .deliveries[0].notice' <<< "$frame" | "$@"; then
    parley ack --as "$agent" "$id" > /dev/null
  else
    parley nack --as "$agent" "$id" --reason "$1 failed" > /dev/null
  fi
done
