#!/bin/sh
# Builds Debian packages, in target/deb, for the GCCs that Debian has installed
# here with their plugin headers, and has lintian look at them. With SUITE the
# same, in target/deb-SUITE, in a tree of that Debian with GCCS and its own Rust.
set -eu
cd "$(dirname "$0")/.."
if [ -n "${SUITE:-}" ] && [ "${OUT:-}" = '' ]; then
  tree=${TREE:-target/matrix/$SUITE}
  # shellcheck disable=SC2086 # a list of words
  packaging/debian-tree.sh "$SUITE" "$tree" ${GCCS:-$(packaging/debian-gccs.sh "$SUITE")} \
    build-essential cargo debhelper lintian rustc
  exec packaging/debian-chroot.sh "$tree" -- env PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    SUITE="$SUITE" OUT="target/deb-$SUITE" packaging/deb.sh
fi
out=${OUT:-target/deb}
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
tree=$out/offmem-$version
gnu_type=$(dpkg-architecture -qDEB_HOST_GNU_TYPE)
libdir=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)

rm -rf "$out"
mkdir -p "$out"
cp "target/offmem-$version.tar.xz" "$out/offmem_$version.orig.tar.xz"
tar -xf "target/offmem-$version.tar.xz" -C "$out"
cp -r packaging/debian "$tree/debian"

cd "$tree/debian"
: > gccs
build_depends=
cp control.in control
for gcc in $(../packaging/gccs.sh); do
  n=${gcc#gcc-}
  gcc_version=$(dpkg-query -W -f '${Version}' "gcc-$n-plugin-dev" 2>/dev/null) || continue
  folder=$(dirname "$(realpath "$($gcc -print-libgcc-file-name)")")
  fill () {
    sed "s|@N@|$n|g; s|@GCC_VERSION@|$gcc_version|g; s|@GNU_TYPE@|$gnu_type|g
         s|@FOLDER@|$folder|g; s|@LIBDIR@|$libdir|g" "$1"
  }
  package=gcc-$n-offload-memory
  echo "$gcc" >> gccs
  build_depends="$build_depends, gcc-$n-plugin-dev"
  fill control.gcc.in >> control
  for script in postinst prerm postrm triggers; do fill $script.in > "$package.$script"; done
  plugin=$(realpath "$($gcc -print-file-name=plugin)")
  for file in liboffmem.so offmem-link-none offmem-link-pinned offmem-link-unified; do
    echo "${plugin#/}/$file"
  done > "$package.install"
done
[ -s gccs ] || { echo "make: no gcc-N-plugin-dev is installed" >&2; exit 1; }
sed -i "s|@BUILD_DEPENDS@|$build_depends|" control
rm -- *.in

cd ..
profile=
# Debian's own Rust, or one that rustup brought.
dpkg-query -W -f '${db:Status-Status}' cargo 2>/dev/null | grep -qx installed || profile=-Ppkg.offmem.rustup
# shellcheck disable=SC2086 # one word or none
dpkg-buildpackage -us -uc -b $profile
cd ..
lintian --allow-root --fail-on error,warning offmem_*.changes
