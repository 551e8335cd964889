/* Where there is no driver to register memory with, all of it is locked: what is
   there at the start, and what is allocated later.  */
/* { dg-do run { target { memlock_all && { ! offload_device } } } } */

#include <string.h>
#include "vmlck.h"

int
main (void)
{
  long before = vmlck_kib ();
  if (before <= 0)
    abort ();

  char *block = malloc (8 << 20);
  memset (block, 1, 8 << 20);
  if (vmlck_kib () < before + 8192)
    abort ();

  #pragma omp target map(tofrom: block[0:8 << 20])
  block[0] = 2;
  if (block[0] != 2 || block[1] != 1)
    abort ();
  free (block);
  return 0;
}
