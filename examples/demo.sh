#!/bin/sh
# Compiles each example with the option, and runs it without and with offmem:
# on the machine's GPU, or else on the driver in software that comes along.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp ./*.c ./*.cc ./*.f90 "$build"
. ../target/stage/env.sh
softcuda=$(cd ../target/stage/lib/softcuda && pwd)
cd "$build"

show () { printf '\n$ %s\n' "$*"; eval "$*"; }

if [ -e /dev/nvidiactl ]; then
  echo "Device: this machine's NVIDIA GPU"
else
  echo "Device: softcuda, a CUDA driver in software (there is no /dev/nvidiactl)"
  export LD_LIBRARY_PATH="$softcuda:${LD_LIBRARY_PATH-}"
fi
echo "Environment: . target/stage/env.sh"
# Debian 12's crtoffloadtable.o is not for a PIE, with or without us.
export OFFMEM_REPORT=1

show 'gcc -no-pie -fplugin=liboffmem.so -foffload-memory=pinned -fopenmp stream.c && OFFMEM=off ./a.out && ./a.out'
show 'g++ -no-pie -O2 -foffload-memory=pinned -fopenmp jacobi.cc && OFFMEM=off ./a.out && ./a.out'
show 'gfortran -no-pie -O2 -flto -foffload-memory=pinned -fopenmp dot.f90 && OFFMEM=off ./a.out && ./a.out'
printf '\nA program that stock GCC has built already:\n'
unset OFFMEM_REPORT
show 'gcc -no-pie -fopenmp stream.c -o stock && offmem run --report -- ./stock'
cat <<'END'

Each program ran twice: as stock GCC's would (OFFMEM=off), and with the memory that it maps
registered with the driver once that pays. 'pinned' is the share of the bytes that the device
read or wrote directly; 'reg.' counts registrations.
END
