/* A value of OFFMEM_STRATEGY that does not exist is told, and the default is in
   effect.  */
/* { dg-do run { target { memlock_all && { ! offload_device } } } } */
/* { dg-set-target-env-var OFFMEM_STRATEGY "pin" } */
/* { dg-output {^libgomp-offmem: OFFMEM_STRATEGY=pin is not one of auto, register, mlockall\nok\n$} } */

#include <stdio.h>
#include <stdlib.h>
#include "vmlck.h"

int
main (void)
{
  #pragma omp target
  ;
  if (vmlck_kib () <= 0)
    abort ();
  puts ("ok");
  return 0;
}
