#!/usr/bin/env bash
# Prints the commit that what changed is compared with: where the branch began, else the one before.
git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD~1 2>/dev/null || git rev-parse HEAD
