#!/usr/bin/env bash
# debian-tree.sh SUITE TREE VERSION|PACKAGE...: a tree of that Debian (from MIRROR, by
# debootstrap) in the folder TREE with those versions of GCC: C, C++, Fortran,
# plugin headers and offload compilers. What is there already stays: it is made
# once, with six versions 2.9 GB.
set -euo pipefail
suite=$1
tree=$2
shift 2
[ "$(id -u)" = 0 ] || { echo 'make: a tree of Debian needs root' >&2; exit 77; }
mirror=${MIRROR:-http://deb.debian.org/debian}

if [ ! -x "$tree/usr/bin/apt-get" ]; then
  # Half a tree is of no use to the next run.
  rm -rf "$tree"
  debootstrap --variant=minbase "$suite" "$tree.new" "$mirror" >"$tree.log" ||
    { echo "make: no Debian $suite from $mirror: see $tree.log" >&2; exit 77; }
  mv "$tree.new" "$tree"
fi

packages=()
for wanted; do
  case $wanted in
    [0-9]*) packages+=("g++-$wanted" "gfortran-$wanted" "gcc-$wanted-plugin-dev" "gcc-$wanted-offload-nvptx") ;;
    *) packages+=("$wanted") ;;
  esac
done
missing=()
for package in "${packages[@]}"; do
  [ "$(chroot "$tree" dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
    missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
for file in /etc/resolv.conf /etc/hosts; do
  if [ -e $file ]; then cp -L $file "$tree$file"; fi
done
export DEBIAN_FRONTEND=noninteractive
# A mirror may be a snapshot, whose date has passed; its signature counts all the same.
chroot "$tree" apt-get -qq -o Acquire::Check-Valid-Until=false update
chroot "$tree" apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}" >>"$tree.log"
chroot "$tree" apt-get -qq clean
