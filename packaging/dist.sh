#!/bin/sh
# Makes target/offmem-VERSION.tar.xz: the last commit and the sources of every
# crate in Cargo.lock. The same commit gives the same bytes.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=offmem-$version
work=target/dist
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"

rm -rf "$work"
mkdir -p "$work/$name"
git archive HEAD | tar -x -C "$work/$name"
(
  cd "$work/$name"
  ${CARGO:-cargo} vendor --quiet --locked --versioned-dirs vendor > /dev/null
  # Crates for Windows alone, of which cargo wants to see no more than that they are there.
  for crate in vendor/windows-* vendor/windows_* vendor/winapi*; do
    [ -d "$crate" ] || continue
    find "$crate" -type f ! -name Cargo.toml ! -name .cargo-checksum.json ! -iname 'license*' -delete
    mkdir -p "$crate/src"
    : > "$crate/src/lib.rs"
    sed -i 's/"files":{[^}]*}/"files":{}/' "$crate/.cargo-checksum.json"
  done
  cat >> .cargo/config.toml <<'END'

[net]
offline = true

[source.crates-io]
replace-with = "vendor"

[source.vendor]
directory = "vendor"
END
)
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
  -C "$work" -c "$name" | xz -T1 > "$work/$name.tar.xz"
mv "$work/$name.tar.xz" "target/$name.tar.xz"
rm -rf "$work"
echo "target/$name.tar.xz"
