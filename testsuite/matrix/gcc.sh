#!/usr/bin/env bash
# gcc.sh MATRIX VERSION, in the tree: builds the plugin for gcc-VERSION with
# that GCC's own C++ compiler and runs the testsuite's programs, on the host and
# on softcuda. Results in MATRIX/results/VERSION.
set -euo pipefail
cd "$(dirname "$0")/../.."
project=$PWD
matrix=$1
version=$2
stage=$matrix/stage
results=$matrix/results/$version
gcc=gcc-$version
mkdir -p "$results"

plugin=$stage/lib/gcc/$("$gcc" -dumpmachine)/$("$gcc" -dumpversion)
mkdir -p "$plugin"
GCC=$gcc CC=$gcc CXX=g++-$version CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=$gcc CARGO_NET_OFFLINE=true \
  cargo build --quiet --release -p offmem-gcc-plugin --target-dir "$matrix/build" 2>&1 | tee "$results/build.log"
cp "$matrix/build/release/liboffmem.so" driver-flag/link/offmem-link-* "$plugin"
"$stage/bin/offmem" specs --gcc "$gcc" --plugin "$plugin/liboffmem.so" --runtime "$stage/lib/libgomp-offmem.so" >"$plugin/specs"

# runtest DEVICE DRIVER
one() {
  local folder=$results/$1/$2 libraries=$stage/lib
  mkdir -p "$folder"
  cd "$folder"
  printf 'set GCC_UNDER_TEST %s\nset GXX_UNDER_TEST %s\nset GFORTRAN_UNDER_TEST %s\n' \
    "gcc-$version" "g++-$version" "gfortran-$version" >site.exp
  if [ "$1" = softcuda ]; then
    echo 'set OFFMEM_DEVICE softcuda' >>site.exp
    libraries=$stage/lib/softcuda:$libraries
  fi
  LIBRARY_PATH=$stage/lib/gcc LD_LIBRARY_PATH=$libraries CPATH=$stage/include PATH=$stage/bin:$PATH \
    runtest --tool offmem --srcdir "$project/testsuite" "$2.exp${PROGRAMS:+=$PROGRAMS}" >runtest.out 2>&1 </dev/null || true
}
export -f one
export results stage version project PROGRAMS
printf '%s\n' {softcuda,host}' '{c,c++,fortran,oacc-c} | xargs -P "$(nproc)" -L 1 bash -c 'one "$@"' one
