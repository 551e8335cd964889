/* How much memory of this process is locked.  */

#ifndef VMLCK_H
#define VMLCK_H

#include <stdio.h>
#include <stdlib.h>

static long
vmlck_kib (void)
{
  char line[256];
  long kib = -1;
  FILE *status = fopen ("/proc/self/status", "r");

  if (status == NULL)
    abort ();
  while (fgets (line, sizeof line, status) != NULL)
    if (sscanf (line, "VmLck: %ld kB", &kib) == 1)
      break;
  fclose (status);
  if (kib < 0)
    abort ();
  return kib;
}

#endif
