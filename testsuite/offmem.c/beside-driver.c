/* Beside a CUDA driver, with which this version cannot register memory, nothing
   is locked, and one line says so.  */
/* { dg-do run { target offload_device } } */
/* { dg-output {^libgomp-offmem: memory is left unpinned: this version cannot register it with the CUDA driver[^\n]*\nok\n$} } */

#include <stdio.h>
#include <stdlib.h>
#include "vmlck.h"

int
main (void)
{
  int x = 0;

  #pragma omp target map(tofrom: x)
  x = 1;
  if (x != 1 || vmlck_kib () != 0)
    abort ();
  puts ("ok");
  return 0;
}
