#!/usr/bin/env bash
# tree.sh TREE VERSION...: a tree of Debian sid (MIRROR, by debootstrap) in the
# folder TREE with those versions of GCC: C, C++, Fortran, plugin headers and
# offload compilers. What is there already stays: it is made once, 2.9 GB.
set -euo pipefail
tree=$1
shift
mirror=${MIRROR:-http://deb.debian.org/debian}

if [ ! -x "$tree/usr/bin/apt-get" ]; then
  # Half a tree is of no use to the next run.
  rm -rf "$tree"
  debootstrap --variant=minbase sid "$tree.new" "$mirror" >"$tree.log" ||
    { echo "make: no Debian sid from $mirror: see $tree.log" >&2; exit 77; }
  mv "$tree.new" "$tree"
fi

packages=(dejagnu libgomp-plugin-nvptx1 util-linux)
for version; do
  packages+=("g++-$version" "gfortran-$version" "gcc-$version-plugin-dev" "gcc-$version-offload-nvptx")
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
