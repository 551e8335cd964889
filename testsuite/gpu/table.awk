# The results of 'copies' and of the offloading programs side by side, against
# the targets: reuse at 95 % of the driver's own pinned memory, single use at
# 0.98 of stock.

function field(name,   at, rest) {
  at = index($0, "\"" name "\": ")
  rest = substr($0, at + length(name) + 4)
  sub(/^"/, "", rest)
  sub(/[",}].*/, "", rest)
  return rest
}

/"kind": "copy"/ && /"pinned"/ { raw[field("size"), field("direction")] = field("gbps") }

/"kind": "offload"/ {
  key = field("use") SUBSEP field("direction") SUBSEP field("size")
  if (!(key in seen)) { seen[key] = 1; keys[++count] = key }
  rate[key, field("program")] = field("gbps")
}

function verdict(ours, of, target) {
  # What comes from a record is text until it is added to.
  ours += 0
  of += 0
  if (ours == 0 || of == 0) return "-"
  return sprintf("%.2f %s", ours / of, ours >= target * of ? "met" : "MISSED")
}

END {
  printf "%-7s %-5s %9s %9s %9s %9s %9s %9s   %s\n", "use", "way", "MiB", "stock",
    "adaptive", "eager", "run", "raw", "target"
  for (i = 1; i <= count; i++) {
    split(keys[i], part, SUBSEP)
    use = part[1]; way = part[2]; size = part[3]
    key = keys[i]
    pinned = raw[size, way]
    ours = rate[key, "adaptive"]
    if (use == "reuse") reached = ">= 0.95 raw: " verdict(ours, pinned, 0.95)
    else reached = ">= 0.98 stock: " verdict(ours, rate[key, "stock"], 0.98)
    printf "%-7s %-5s %9d %9s %9s %9s %9s %9s   %s\n", use, way, size / 1048576,
      rate[key, "stock"], ours, rate[key, "eager"], rate[key, "run"], pinned, reached
  }
}
