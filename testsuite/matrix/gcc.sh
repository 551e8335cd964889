#!/usr/bin/env bash
# gcc.sh MATRIX SUITE VERSION, in the tree: builds the plugin for gcc-VERSION with
# that GCC's own C++ compiler and runs the testsuite's programs, on the host, on
# softcuda and, a few of them, there with other options. Results in
# MATRIX/results/SUITE/VERSION/{host,softcuda,options}.
set -euo pipefail
cd "$(dirname "$0")/../.."
project=$PWD
matrix=$1
version=$3
stage=$matrix/stage
results=$matrix/results/$2/$version
gcc=gcc-$version
mkdir -p "$results"

plugin=$stage/lib/gcc/$("$gcc" -dumpmachine)/$("$gcc" -dumpversion)
mkdir -p "$plugin"
GCC=$gcc CC=$gcc CXX=g++-$version CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=$gcc CARGO_NET_OFFLINE=true \
  cargo build --quiet --release -p offmem-gcc-plugin --target-dir "$matrix/build" 2>&1 | tee "$results/build.log"
cp "$matrix/build/release/liboffmem.so" driver-flag/link/offmem-link-* "$plugin"
"$stage/bin/offmem" specs --gcc "$gcc" --plugin "$plugin/liboffmem.so" --runtime "$stage/lib/libgomp-offmem.so" >"$plugin/specs"

# The programs of one driver that are run with other options.
few() {
  case $1 in
    c) echo stream.c declare-target.c jacobi.c struct-pointers.c ;;
    c++) echo vector.C class-members.C template.C ;;
    fortran) echo stream.f90 allocatable.f90 module-declare-target.f90 ;;
    oacc-c) echo data.c parallel-loop.c reduction.c ;;
  esac
}

# one host|softcuda|options DRIVER
one() {
  local folder=$results/$1/$2 libraries=$stage/lib programs=$PROGRAMS
  mkdir -p "$folder"
  cd "$folder"
  printf 'set GCC_UNDER_TEST %s\nset GXX_UNDER_TEST %s\nset GFORTRAN_UNDER_TEST %s\n' \
    "gcc-$version" "g++-$version" "gfortran-$version" >site.exp
  if [ "$1" != host ]; then
    echo 'set OFFMEM_DEVICE softcuda' >>site.exp
    libraries=$stage/lib/softcuda:$libraries
  fi
  if [ "$1" = options ]; then
    echo 'set OFFMEM_TORTURE { "-O3 -g" "-O2 -flto -g" "-O1 -g -fsanitize=address" }' >>site.exp
    programs=$(few "$2")
  fi
  LIBRARY_PATH=$stage/lib/gcc LD_LIBRARY_PATH=$libraries CPATH=$stage/include PATH=$stage/bin:$PATH \
    runtest --tool offmem --srcdir "$project/testsuite" "$2.exp${programs:+=$programs}" >runtest.out 2>&1 </dev/null || true
}
export -f one few
# libgomp never frees what it keeps of a device.
export ASAN_OPTIONS=detect_leaks=0
export results stage version project PROGRAMS
printf '%s\n' {softcuda,host,options}' '{c,c++,fortran,oacc-c} | xargs -P "$(nproc)" -L 1 bash -c 'one "$@"' one
