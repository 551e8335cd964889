#!/bin/sh
# debian-gccs.sh SUITE: the versions of GCC, from 11 on, that this Debian has.
set -eu
case $1 in
  sid) echo 11 12 13 14 15 16 ;;
  trixie) echo 12 13 14 ;;
  *) echo 11 12 ;;
esac
