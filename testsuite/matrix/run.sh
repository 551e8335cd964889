#!/usr/bin/env bash
# Builds the plugin for each GCC in GCCS (all that SUITE has) and runs the
# programs of the testsuite with it, in a tree of Debian's SUITE (sid) below
# MATRIX; the runtime and softcuda are those that 'make stage' has built out
# here. Writes SUITE.md and SUITE.json there, and compares with README's table.
set -euo pipefail
cd "$(dirname "$0")/../.."

matrix=$(mkdir -p "${MATRIX:-target/matrix}" && cd "${MATRIX:-target/matrix}" && pwd)
suite=${SUITE:-sid}
tree=${TREE:-$matrix/$suite}
# Two at a time would take each other's stage away.
exec 9>"$matrix/lock"
flock -n 9 || { echo "make: a matrix is being run in $matrix" >&2; exit 1; }
read -ra versions <<<"${GCCS:-$(packaging/debian-gccs.sh "$suite")}"

packaging/debian-tree.sh "$suite" "$tree" "${versions[@]}" dejagnu libgomp-plugin-nvptx1 util-linux

mkdir -p "$matrix/stage"
cp -a target/stage/bin target/stage/include target/stage/lib "$matrix/stage/"
rm -rf "$matrix/stage/lib/gcc"

results=()
for version in "${versions[@]}"; do
  start=$SECONDS
  rm -rf "$matrix/results/$suite/$version"
  # What a GCC cannot do is its row in the table.
  packaging/debian-chroot.sh "$tree" "$matrix" -- env PROGRAMS="${PROGRAMS:-}" \
    testsuite/matrix/gcc.sh "$matrix" "$suite" "$version" ||
    echo "make: GCC $version: see $matrix/results/$suite/$version" >&2
  echo "GCC $version: $((SECONDS - start)) s"
  results+=("$matrix/results/$suite/$version"/*/*/offmem.sum)
done

awk -v format=json -f testsuite/matrix/table.awk "${results[@]}" >"$matrix/$suite.json"
awk -v format=text -f testsuite/matrix/table.awk "${results[@]}" | tee "$matrix/$suite.md"
if grep -H '^\(FAIL\|XPASS\|UNRESOLVED\|ERROR\)' "${results[@]}"; then exit 1; fi
[ -z "${PROGRAMS:-}" ] || exit 0
# A version that README does not know yet is no mistake, another result is.
status=0
while read -r row; do
  if grep -qxF "$row" README.md; then continue; fi
  gcc=$(cut -d'|' -f1,2 <<<"$row")
  echo "make: README.md says otherwise, or nothing, of$(cut -d'|' -f2 <<<"$row"): $row" >&2
  if grep -qF "$gcc|" README.md; then status=1; fi
done <"$matrix/$suite.md"
exit "$status"
