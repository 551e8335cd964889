#!/bin/sh
# Makes target/gpu-kit, a folder that needs no more than an NVIDIA driver and
# glibc where it is run: copy it there and start its run.sh.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
kit=$top/target/gpu-kit
gcc=${GCC:-gcc}
[ -n "${STAGED:-}" ] || make -s -C "$top" stage GCC="$gcc"
. "$top/target/stage/env.sh"

rm -rf "$kit"
mkdir -p "$kit"
cd "$top/testsuite/gpu"
# DT_RPATH and not DT_RUNPATH: it also serves libgomp when it loads its plugin.
near='-Wl,--disable-new-dtags,-rpath,$ORIGIN'
strict='-O2 -Wall -Wextra -Werror'
# shellcheck disable=SC2086 # a list of words
$gcc $strict probe.c driver.c rules.c registering.c copying.c sharing.c \
  managing.c costs.c copies.c -pthread -ldl -o "$kit/probe"
offload="$strict -fopenmp -foffload=nvptx-none -no-pie"
# shellcheck disable=SC2086
$gcc $offload bandwidth.c "$near" -o "$kit/bandwidth-stock"
# shellcheck disable=SC2086
$gcc $offload -foffload-memory=pinned bandwidth.c "$near" -o "$kit/bandwidth-pinned"
cp "$top/target/stage/bin/offmem" run.sh table.awk "$kit"
cp -L "$top/target/stage/lib/libgomp-offmem.so.1" "$kit"
for library in libgomp.so.1 libgomp-plugin-nvptx.so.1 libgcc_s.so.1; do
  file=$($gcc -print-file-name=$library)
  [ -f "$file" ] || { echo "build.sh: $gcc has no $library" >&2; exit 1; }
  cp -L "$file" "$kit"
done
git -C "$top" describe --always --dirty > "$kit/version" 2>/dev/null || echo unknown > "$kit/version"

# Whatever is not carried must be glibc's. The programs find the rest by
# themselves; offmem and the libraries are led to it.
check () {
  "$@" | while read -r name _ path _; do
    case $name:$path in
      linux-vdso.so.1:* | */ld-linux-*:* | statically:*) ;;
      libc.so.6:* | libm.so.6:* | libdl.so.2:* | libpthread.so.0:* | librt.so.1:*) ;;
      *":$kit/"*) ;;
      *) echo "build.sh: the kit does not carry $name for '$*'" >&2; exit 1 ;;
    esac
  done
}
for file in "$kit"/probe "$kit"/bandwidth-*; do
  check env -u LD_LIBRARY_PATH ldd "$file"
done
for file in "$kit"/offmem "$kit"/*.so.1; do
  check env LD_LIBRARY_PATH="$kit" ldd "$file"
done
echo "$kit"
