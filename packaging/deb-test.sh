#!/bin/sh
# Tries the packages of target/deb (with SUITE: of target/deb-SUITE, in that Debian)
# in a fresh Debian below target/deb-test, of which the bare system is kept for the
# next time. Needs root and debootstrap.
set -eu
cd "$(dirname "$0")/.."
suite=${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
packages=target/deb${SUITE:+-$SUITE}
work=target/deb-test
base=$work/$suite-bare
root=$work/$suite
[ "$(id -u)" = 0 ] || { echo "make: deb-test needs root, for debootstrap" >&2; exit 1; }

mkdir -p "$work"
rm -rf "$root"
packaging/debian-tree.sh "$suite" "$base"
cp -a "$base" "$root"

mkdir -p "$root/packages" "$root/softcuda"
for package in "$packages"/*.deb; do
  case $package in *-dbgsym_*) ;; *) cp "$package" "$root/packages" ;; esac
done
cp target/release/libcuda.so "$root/softcuda/libcuda.so.1"
cp packaging/deb-test/inside.sh packaging/deb-test/prog.c examples/stream.c README.md "$root/packages"
chmod -R a+rX "$root/packages" "$root/softcuda"
for file in /etc/resolv.conf /etc/hosts; do
  if [ -e "$file" ]; then cp -L "$file" "$root$file"; fi
done
# How this machine reaches its mirror, which may be a snapshot whose date has passed.
{ apt-config dump Acquire | grep -E '^Acquire::(http|https|ftp|Check-|Retries)' || :
  echo 'Acquire::Check-Valid-Until "false";'
} > "$root/etc/apt/apt.conf.d/90host"

# Its mounts end with it.
unshare --mount --pid --fork --mount-proc="$(realpath "$root")/proc" \
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive sh /packages/inside.sh
rm -rf "$root"
