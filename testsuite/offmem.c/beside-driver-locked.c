/* OFFMEM_STRATEGY=mlockall locks memory beside a CUDA driver too.  */
/* { dg-do run { target { offload_device && memlock_all } } } */
/* { dg-set-target-env-var OFFMEM_STRATEGY "mlockall" } */
/* { dg-output {^ok\n$} } */

#include <stdio.h>
#include <stdlib.h>
#include "vmlck.h"

int
main (void)
{
  int x = 0;

  #pragma omp target map(tofrom: x)
  x = 1;
  if (x != 1 || vmlck_kib () <= 0)
    abort ();
  puts ("ok");
  return 0;
}
