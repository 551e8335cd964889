#!/bin/sh
# Builds what 'make dist' made twice, in folders of different names, without a
# network and without libclang, and compares the bytes.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
tarball=$PWD/target/offmem-$version.tar.xz
work=$PWD/target/dist-check
rm -rf "$work"
for folder in one another-of-a-longer-name; do
  mkdir -p "$work/$folder/cargo home"
  tar -xf "$tarball" -C "$work/$folder"
  (
    cd "$work/$folder/offmem-$version"
    # An empty cargo home has no crate but those of the tarball, and no libclang can be loaded.
    unshare --map-root-user --net env CARGO_HOME="$work/$folder/cargo home" LIBCLANG_PATH=/nonexistent \
      make --silent install GCC="${GCC:-gcc}" PREFIX=/usr LIBDIR=/usr/lib/offmem SPECS=no DESTDIR="$work/$folder/installed"
    rm -rf target
  )
done
diff -r "$work/one/installed" "$work/another-of-a-longer-name/installed"
rm -rf "$work"
echo "dist-check: two builds of $(basename "$tarball"), the same bytes"
