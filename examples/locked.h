/* How much of this process's memory is locked, in KiB (proc(5), VmLck).  */

#include <stdio.h>

static inline long
locked_kib (void)
{
  long kib = -1;
  char line[128];
  FILE *status = fopen ("/proc/self/status", "r");
  while (status && fgets (line, sizeof line, status))
    if (sscanf (line, "VmLck: %ld kB", &kib) == 1)
      break;
  if (status)
    fclose (status);
  return kib;
}
