#!/bin/sh
# Prints the GCCs in PATH that a plugin can be built for, a command a line:
# gcc-N, and gcc where it is none of those. With --any also those without plugin headers.
set -eu
any=${1-}
seen=
for command in $(IFS=:; for folder in $PATH; do ls "$folder" 2>/dev/null || :; done |
    grep -xE 'gcc-[0-9]+(\.[0-9]+)*' | sort -uV) gcc; do
  folder=$("$command" -print-file-name=plugin 2>/dev/null) || continue
  case $folder in /*) ;; *) continue ;; esac
  folder=$(realpath -m "$folder")
  [ -n "$any" ] || [ -e "$folder/include/gcc-plugin.h" ] || continue
  case " $seen " in *" $folder "*) continue ;; esac
  seen="$seen $folder"
  echo "$command"
done
