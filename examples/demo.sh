#!/bin/sh
# Compiles each example with the option and runs it without and with offmem.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp ./*.c ./*.cc ./*.f90 ./*.h "$build"
. ../target/stage/env.sh
cd "$build"

show () { printf '\n$ %s\n' "$*"; eval "$*"; }

echo "Environment: . target/stage/env.sh"
echo "(Should ld warn of DT_TEXTREL: that is Debian 12's crtoffloadtable.o, with or without us.)"
show 'gcc -fplugin=liboffmem.so -foffload-memory=pinned -fopenmp stream.c && OFFMEM=off ./a.out && ./a.out'
show 'g++ -O2 -foffload-memory=pinned -fopenmp jacobi.cc && OFFMEM=off ./a.out && ./a.out'
show 'gfortran -O2 -flto -foffload-memory=pinned -fopenmp dot.f90 && OFFMEM=off ./a.out && ./a.out'
echo
echo "Each program ran twice: first as stock GCC's would (OFFMEM=off), then with its memory"
echo "page-locked. VmLck counts address space: what is touched is what is locked."
