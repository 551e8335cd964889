#!/bin/sh
# Installs what packaging/debian-packages lists and is missing; without root
# or apt it says what to run, and leaves the rest to make.
set -eu
list=$(dirname "$0")/debian-packages
command -v dpkg-query >/dev/null || exit 0

missing=
for package in $(grep -v '^#' "$list"); do
  dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ]; then
  echo "make: these packages are missing; as root, run" >&2
  echo "  apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
# The lists of a fresh machine are empty, those of an old one name files that are gone.
apt-get -qq update
# shellcheck disable=SC2086 # a list of words
apt-get -qq -y install --no-install-recommends $missing >/dev/null
