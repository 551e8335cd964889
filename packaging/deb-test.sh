#!/bin/sh
# Tries the packages of target/deb in a fresh Debian below target/deb-test, of
# which the bare system is kept for the next time. Needs root and debootstrap.
set -eu
cd "$(dirname "$0")/.."
suite=${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
mirror=${MIRROR:-http://deb.debian.org/debian}
work=target/deb-test
base=$work/$suite.tar
root=$work/$suite
[ "$(id -u)" = 0 ] || { echo "make: deb-test needs root, for debootstrap" >&2; exit 1; }

mkdir -p "$work"
rm -rf "$root"
if ! [ -e "$base" ]; then
  debootstrap --variant=minbase "$suite" "$root" "$mirror" > "$work/debootstrap.log"
  tar -C "$root" --one-file-system -cf "$base.new" .
  mv "$base.new" "$base"
else
  mkdir -p "$root"
  tar -C "$root" -xpf "$base"
fi

mkdir -p "$root/packages" "$root/softcuda"
for package in target/deb/*.deb; do
  case $package in *-dbgsym_*) ;; *) cp "$package" "$root/packages" ;; esac
done
cp target/release/libcuda.so "$root/softcuda/libcuda.so.1"
cp packaging/deb-test/inside.sh packaging/deb-test/prog.c examples/stream.c README.md "$root/packages"
chmod -R a+rX "$root/packages" "$root/softcuda"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || :
# How this machine reaches its mirror.
apt-config dump Acquire | grep -E '^Acquire::(http|https|ftp|Check-|Retries)' \
  > "$root/etc/apt/apt.conf.d/90host" || :

# Its mounts end with it.
unshare --mount --pid --fork --mount-proc="$(realpath "$root")/proc" \
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive sh /packages/inside.sh
rm -rf "$root"
