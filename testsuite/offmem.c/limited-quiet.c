/* OFFMEM=quiet: the same without the line.  */
/* { dg-do run { target { can_drop_ipc_lock && { ! offload_device } } } } */
/* { dg-set-target-env-var OFFMEM "quiet" } */
/* { dg-output {^ok\n$} } */

#include "limited.h"
#include "vmlck.h"

int
main (int argc, char **argv)
{
  int x = 0;

  run_limited (argv, 65536);
  #pragma omp target map(tofrom: x)
  x = 1;
  if (x != 1 || vmlck_kib () != 0)
    abort ();
  puts ("ok");
  return 0;
}
