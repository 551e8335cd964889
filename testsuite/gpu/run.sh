#!/bin/sh
# Runs everything of the kit on this machine's GPU, in less than eight minutes,
# prints it, and writes results.json. Status: 0; 1 if softcuda's rules are not
# this driver's or something failed; 77 without a GPU.
#   GPU_KIT_MOST_MIB   largest block, for a quick look
set -u
kit=$(cd "$(dirname "$0")" && pwd)
output=${1:-$PWD/results.json}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GPU_KIT_RESULTS=$work/results
export GPU_KIT_RESULTS
unset OFFMEM OFFMEM_STRATEGY OFFMEM_POLICY OFFMEM_LIMIT OFFMEM_MIN_SIZE OFFMEM_REPORT OFFMEM_MEMORY

failed=0
# step SECONDS TITLE COMMAND…
step () {
  limit=$1 title=$2
  shift 2
  printf '\n== %s\n' "$title"
  timeout "$limit" "$@"
  status=$?
  [ $status = 0 ] && return
  failed=1
  echo "run.sh: $title: status $status" >&2
  printf '{"kind": "failure", "step": "%s", "status": %d}\n' "$title" $status >> "$GPU_KIT_RESULTS"
}

"$kit/probe" device > "$work/device"
status=$?
cat "$work/device"
[ $status = 0 ] || exit $status

step 110 'rules of registration' "$kit/probe" rules
step 90 'cost of registration' "$kit/probe" costs
step 50 'copies' "$kit/probe" copies
step 55 'stock program' "$kit/bandwidth-stock" stock
OFFMEM_POLICY=adaptive step 55 'pinned program, adaptive' "$kit/bandwidth-pinned" adaptive
OFFMEM_POLICY=eager step 55 'pinned program, eager' "$kit/bandwidth-pinned" eager
LD_LIBRARY_PATH=$kit${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} step 55 'stock program under offmem run' \
  "$kit/offmem" run --runtime "$kit/libgomp-offmem.so.1" -- "$kit/bandwidth-stock" run

printf '\n== bandwidth in GB/s\n'
awk -f "$kit/table.awk" "$GPU_KIT_RESULTS"

driver=$(cat /sys/module/nvidia/version 2>/dev/null || echo unknown)
{
  printf '{\n"kit": "%s",\n"date": "%s",\n' "$(cat "$kit/version")" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  printf '"kernel": "%s",\n"driver": "%s",\n' "$(uname -sr)" "$driver"
  printf '"processor": "%s",\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
  printf '"results": [\n'
  sed '$!s/$/,/' "$GPU_KIT_RESULTS"
  printf ']\n}\n'
} > "$output"
printf '\nrun.sh: %s\n' "$output"
exit $failed
