/* A soft limit of 64 KiB below an unlimited hard one does not count: the runtime
   raises it, as any process may.  */
/* { dg-do run { target { memlock_unlimited && { ! offload_device } } } } */
/* { dg-output {^ok\n$} } */

#include <string.h>
#include "limited.h"
#include "vmlck.h"

int
main (int argc, char **argv)
{
  run_limited (argv, RLIM_INFINITY);

  char *block = malloc (8 << 20);
  memset (block, 1, 8 << 20);
  if (vmlck_kib () < 8192)
    abort ();
  /* A construct, so that this is a unit with OpenMP.  */
  #pragma omp target
  ;
  free (block);
  puts ("ok");
  return 0;
}
