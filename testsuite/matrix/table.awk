# The results of runtest, MATRIX/results/SUITE/VERSION/DEVICE/DRIVER/offmem.sum, as a
# table of GCC and language, in Markdown or (format=json) JSON.
BEGIN {
  split("c c++ fortran oacc-c", drivers)
  split("C,C++,Fortran,OpenACC", titles, ",")
}
FNR == 1 {
  depth = split(FILENAME, path, "/")
  suite = path[depth - 4]
  version = path[depth - 3]
  driver = path[depth - 1]
  if (!(version in seen)) {
    seen[version]
    versions[++count] = version
  }
}
/^(PASS|XFAIL): / { passed[version, driver]++ }
/^(FAIL|XPASS|UNRESOLVED|ERROR): / { failed[version, driver]++ }
/^(UNSUPPORTED|UNTESTED): / { unsupported[version, driver]++ }
/ version [0-9.]+$/ { full[version] = $NF }
END {
  if (format == "text") {
    print "| passed, failed, unsupported | C | C++ | Fortran | OpenACC |"
    print "|---|---|---|---|---|"
  } else
    print "["
  for (i = 1; i <= count; i++) {
    version = versions[i]
    if (format == "text")
      printf "| GCC %s, %s |", full[version], suite
    for (j = 1; j <= 4; j++) {
      key = version SUBSEP drivers[j]
      if (format == "text")
        printf " %d, %d, %d |", passed[key], failed[key], unsupported[key]
      else
        printf "  {\"suite\": \"%s\", \"gcc\": \"%s\", \"language\": \"%s\", \"passed\": %d, \"failed\": %d, \"unsupported\": %d}%s\n", \
          suite, full[version], titles[j], passed[key], failed[key], unsupported[key], i == count && j == 4 ? "" : ","
    }
    if (format == "text")
      print ""
  }
  if (format == "json")
    print "]"
}
