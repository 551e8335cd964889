#!/usr/bin/env bash
# Builds the plugin for each GCC in GCCS (all that Debian sid has) and runs the
# programs of the testsuite with it, in a tree of Debian sid below MATRIX; the
# runtime and softcuda are those that 'make stage' has built out here. Writes
# table.md and table.json there. See 'make matrix' in README.md.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The tree's mounts are this process's own, and go with it.
if [ "${OFFMEM_MATRIX_MOUNTS:-}" != own ]; then
  if [ "$(id -u)" != 0 ] || ! OFFMEM_MATRIX_MOUNTS=own unshare --mount true 2>/dev/null; then
    echo 'make: matrix needs root and mounts of its own (CAP_SYS_ADMIN)' >&2
    exit 77
  fi
  exec env OFFMEM_MATRIX_MOUNTS=own unshare --mount --propagation private "$0"
fi

project=$PWD
matrix=$(mkdir -p "${MATRIX:-target/matrix}" && cd "${MATRIX:-target/matrix}" && pwd)
tree=${TREE:-$matrix/sid}
# Two at a time would take each other's stage away.
exec 9>"$matrix/lock"
flock -n 9 || { echo "make: a matrix is being run in $matrix" >&2; exit 1; }
read -ra versions <<<"${GCCS:-11 12 13 14 15 16}"
cargo=${CARGO_HOME:-$HOME/.cargo}
rustup=${RUSTUP_HOME:-$HOME/.rustup}

testsuite/matrix/tree.sh "$tree" "${versions[@]}"

# At the places they have out here.
mkdir -p "$matrix/stage"
for folder in "$project" "$matrix" "$cargo" "$rustup"; do
  mkdir -p "$tree$folder"
  mount --bind "$folder" "$tree$folder"
done
for folder in /proc /dev; do
  mount --rbind "$folder" "$tree$folder"
done
cp -a target/stage/bin target/stage/include target/stage/lib "$matrix/stage/"
rm -rf "$matrix/stage/lib/gcc"

results=()
for version in "${versions[@]}"; do
  start=$SECONDS
  rm -rf "$matrix/results/$version"
  # What a GCC cannot do is its row in the table.
  chroot "$tree" env -i HOME="$HOME" LC_ALL=C TERM=dumb PATH="$cargo/bin:/usr/bin:/bin:/usr/sbin:/sbin" \
    CARGO_HOME="$cargo" RUSTUP_HOME="$rustup" RUSTUP_TOOLCHAIN="$(rustup show active-toolchain | cut -d' ' -f1)" \
    PROGRAMS="${PROGRAMS:-}" \
    "$project/testsuite/matrix/gcc.sh" "$matrix" "$version" ||
    echo "make: GCC $version: see $matrix/results/$version" >&2
  echo "GCC $version: $((SECONDS - start)) s"
  results+=("$matrix/results/$version"/*/*/offmem.sum)
done

awk -v format=json -f testsuite/matrix/table.awk "${results[@]}" >"$matrix/table.json"
awk -v format=text -f testsuite/matrix/table.awk "${results[@]}" | tee "$matrix/table.md"
! grep -h '^\(FAIL\|XPASS\|UNRESOLVED\|ERROR\)' "${results[@]}"
