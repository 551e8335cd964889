/* A value of OFFMEM that is none: one line says which there are, and the program
   is right.  */
/* { dg-do run } */
/* { dg-set-target-env-var OFFMEM "bogus" } */
/* { dg-output {libgomp-offmem: OFFMEM=bogus is not one of off, quiet, on, mandatory} } */

#include <stdlib.h>

int
main (void)
{
  int x = 0;
  #pragma omp target map(tofrom: x)
  x = 1;
  if (x != 1)
    abort ();
  return 0;
}
