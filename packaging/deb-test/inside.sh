# What becomes of a Debian's GCC when the packages in /packages come, stay while
# it is upgraded, break and go. As root, in a system that is for nothing else.
set -eu
log=/packages/log
: > "$log"
trap 'status=$?; [ "$status" = 0 ] || { tail -40 "$log"; echo "deb-test: failed in: $step" >&2; }' EXIT
step=
step () { step=$*; echo "deb-test: $*"; }
quiet () { "$@" >> "$log" 2>&1; }
get () { quiet apt-get -y --no-install-recommends "$@"; }
as_user () { su tester -c "cd && $1"; }
fail () { echo "deb-test: $*" >&2; exit 1; }

# The newest of our compilers is the one that gcc is.
n=$(cd /packages && ls gcc-*-offload-memory_*.deb | sed 's/gcc-\([0-9]*\)-.*/\1/' | sort -n | tail -1)
ours=gcc-$n-offload-memory

# What a compiler does without the option; names of temporary files are random.
behaviour () {
  for gcc in gcc gcc-$n cpp-$n; do
    for line in "-fopenmp prog.c" "-O2 -g -c prog.c" "-shared -fPIC -flto prog.c" "-static prog.c" "-E prog.c"; do
      echo "\$ $gcc $line"
      (cd /packages && $gcc -### $line 2>&1 | sed 's/\/cc[A-Za-z0-9]*\./\/cc./g')
    done
    $gcc -v 2>&1
  done
}
system_files () { find / -xdev \( -path /proc -o -path /packages -o -path /tmp -o -path /home -o -path /var/cache -o -path /var/lib/apt -o -path /var/log \) -prune -o -print | sort; }
# All but the line by which gcc says whether there are specs.
but_specs () { grep -v '^Reading specs from \|^Using built-in specs' "$1"; }
# Debian 12's crtoffloadtable.o is not for a PIE, with or without us.
works_without_the_option () {
  behaviour > /packages/now
  but_specs /packages/before > /packages/before.but-specs
  but_specs /packages/now | diff -u /packages/before.but-specs - || fail "gcc does something else without the option"
  as_user "gcc-$n -no-pie -fopenmp /packages/prog.c && ./a.out" | grep -qx right
}
works_with_the_option () { as_user "gcc-$n -no-pie -foffload-memory=pinned -fopenmp /packages/prog.c && OFFMEM=quiet ./a.out" | grep -qx right; }
unknown_option () {
  if as_user "gcc-$n -foffload-memory=pinned -c /packages/prog.c" >> "$log" 2>&1; then fail "the option is still known"; fi
}

step "stock gcc"
quiet apt-get update
get install gcc libc6-dev
useradd -m tester
behaviour > /packages/before
system_files > /packages/files-before
specs=$(dirname "$(gcc-$n -print-libgcc-file-name)")/specs

step "apt install ./*.deb"
(cd /packages && get install ./*.deb)
works_without_the_option
works_with_the_option
[ "$(stat -c %a "$specs")" = 644 ] || fail "$specs may not be read by everyone"

step "README's command, as an ordinary user"
command=$(grep '^gcc -fplugin=liboffmem.so' /packages/README.md)
as_user "cp /packages/prog.c . && $command" | grep -qx right
as_user "gcc -fplugin=liboffmem.so -foffload-memory=pinned -fopenmp prog.c && ldd ./a.out" | grep -q 'libgomp-offmem.so.1 => /'

step "the same on softcuda, and what offmem run does"
get install gcc-$n-offload-nvptx
device='LD_LIBRARY_PATH=/softcuda OFFMEM_REPORT=1 OFFMEM_POLICY=eager'
as_user "gcc -no-pie -foffload-memory=pinned -fopenmp prog.c && $device ./a.out 2>&1" > /packages/out
grep -qx right /packages/out && grep -q '1 registered' /packages/out || { cat /packages/out; fail "nothing was registered"; }
as_user "gcc -no-pie -fopenmp prog.c && $device offmem run ./a.out 2>&1" > /packages/out
grep -qx right /packages/out && grep -q '1 registered' /packages/out || { cat /packages/out; fail "offmem run registered nothing"; }
printf '#include <offmem.h>\nint main (void) { return offmem_is_pinned (0, 0); }\n' > /packages/asks.c
as_user "gcc -foffload-memory=pinned /packages/asks.c -lgomp-offmem && ./a.out"

# In newer Debians the compiler is in a package of its machine's own.
owner=$(dpkg -S "$(realpath "/usr/bin/gcc-$n")" | cut -d: -f1)
compilers=$(printf '%s\n' "gcc-$n" "$owner" | sort -u)

step "gcc is installed again: the trigger makes its specs"
echo '# stale' >> "$specs"
get reinstall $compilers
if grep -q '# stale' "$specs"; then fail "the specs are as they were"; fi
works_without_the_option
works_with_the_option

# $1, of a later version, which depends on the others' later ones: /packages/later/$1.deb
later () {
  quiet dpkg-deb -R "$2" /packages/new
  sed -i 's/^Version: .*/&+later1/' /packages/new/DEBIAN/control
  for compiler in $compilers; do
    sed -i 's/\([ ,]'"$compiler"' (= [^)]*\))/\1+later1)/' /packages/new/DEBIAN/control
  done
  quiet dpkg-deb -Znone -b /packages/new "/packages/later/$1.deb"
  rm -r /packages/new
}

step "another gcc comes by dpkg alone"
mkdir /packages/old /packages/later
chmod a+rwx /packages/old
(cd /packages/old && quiet apt-get download $compilers)
for compiler in $compilers; do later "$compiler" /packages/old/"$compiler"_*.deb; done
quiet dpkg --force-depends -i /packages/later/*.deb || :
works_without_the_option
step "apt makes that right: our package goes, or gcc comes back"
get --fix-broken install
works_without_the_option
if dpkg-query -W -f '${db:Status-Status}' $ours 2>/dev/null | grep -qx installed; then works_with_the_option; else unknown_option; fi

step "gcc and our package are upgraded together"
quiet dpkg --force-depends -i /packages/old/*.deb
(cd /packages && get install --allow-downgrades ./gcc-*-offload-memory_*.deb)
later $ours /packages/${ours}_*.deb
echo '# stale' >> "$specs"
(cd /packages/later && get install ./*.deb)
if grep -q '# stale' "$specs"; then fail "the specs are as they were"; fi
works_without_the_option
works_with_the_option

step "our package cannot be configured"
mv /usr/bin/offmem /usr/bin/offmem.away
quiet dpkg --unpack /packages/later/$ours.deb
works_without_the_option
if quiet dpkg --configure $ours; then fail "it was configured without offmem"; fi
works_without_the_option
mv /usr/bin/offmem.away /usr/bin/offmem
quiet dpkg --configure $ours
works_with_the_option

step "specs of somebody else stay"
cp "$specs" /packages/specs.ours
gcc-$n -dumpspecs > /packages/specs.theirs
cp /packages/specs.theirs "$specs"
quiet dpkg -i /packages/later/$ours.deb
cmp /packages/specs.theirs "$specs"
cp /packages/specs.ours "$specs"

step "removed and purged"
get remove $ours
unknown_option
works_without_the_option
get purge 'gcc-*-offload-memory' offmem 'libgomp-offmem*' gcc-$n-offload-nvptx
get --purge autoremove
works_without_the_option
diff -u /packages/before /packages/now || fail "gcc is not as it was"
if find / -xdev -path /packages -prune -o -path /proc -prune -o -path /var/lib/apt -prune -o -name '*offmem*' -print | grep .; then fail "left behind"; fi
if [ -e "$specs" ]; then fail "specs are left behind"; fi
system_files > /packages/files-after
diff /packages/files-before /packages/files-after | grep -v '^[0-9,acd]*$' | grep -E 'offmem|offload-memory|/specs' && fail "left behind"
echo "deb-test: passed"
