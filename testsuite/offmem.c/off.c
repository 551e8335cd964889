/* OFFMEM=off: as if the program had been compiled without the option.  */
/* { dg-do run } */
/* { dg-set-target-env-var OFFMEM "off" } */
/* { dg-output {^ok\n$} } */

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
