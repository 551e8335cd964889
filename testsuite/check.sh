#!/bin/sh
# Runs every test and closes with 'N passed, N failed, N skipped'. The whole
# output stays in target/check.log.
set -u
cd "$(dirname "$0")/.."
log=target/check.log

{ cargo test --workspace --no-fail-fast 2>&1; echo "exit status $?"; } | tee "$log" |
  grep -vE ' \.\.\. (ok|ignored)$|^$|^running |^test result: ok'

awk '
  /^test result: / { passed += $4; failed += $6; skipped += $8 }
  /^exit status /  { status = $3 }
  END {
    # Something that did not compile, or died, is a failure too.
    if (status && !failed) failed = 1
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed != 0
  }' "$log"
