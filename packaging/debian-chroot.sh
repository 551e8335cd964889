#!/usr/bin/env bash
# debian-chroot.sh TREE FOLDER... -- COMMAND...: runs a command as root in a tree
# that debian-tree.sh made, in the same folder. It sees this folder, FOLDER... and
# Rust's at the places that they have out here, and PASS of the environment.
set -euo pipefail

# The tree's mounts are this process's own, and go with it.
if [ "${OFFMEM_CHROOT:-}" != own ]; then
  if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then
    echo 'make: a tree of Debian needs root and mounts of its own (CAP_SYS_ADMIN)' >&2
    exit 77
  fi
  OFFMEM_CHROOT=own exec unshare --mount --propagation private "$0" "$@"
fi

tree=$1
shift
cargo=${CARGO_HOME:-$HOME/.cargo}
rustup=${RUSTUP_HOME:-$HOME/.rustup}
folders=("$PWD" "$cargo" "$rustup")
while [ "$1" != -- ]; do
  folders+=("$1")
  shift
done
shift
for folder in "${folders[@]}"; do
  [ -d "$folder" ] || continue
  mkdir -p "$tree$folder"
  mount --bind "$folder" "$tree$folder"
done
for folder in /proc /dev; do
  mount --rbind "$folder" "$tree$folder"
done
toolchain=$(rustup show active-toolchain 2>/dev/null | cut -d' ' -f1 || :)
exec chroot "$tree" env -i -C "$PWD" HOME="$HOME" LC_ALL=C.UTF-8 TERM=dumb \
  PATH="$cargo/bin:/usr/bin:/bin:/usr/sbin:/sbin" CARGO_HOME="$cargo" RUSTUP_HOME="$rustup" \
  ${toolchain:+RUSTUP_TOOLCHAIN="$toolchain"} "$@"
