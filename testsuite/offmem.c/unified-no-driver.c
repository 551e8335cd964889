/* Without any device, as on a machine without a driver: silent, and right.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-no-kernel "there are no devices" } */
/* { dg-set-target-env-var SOFTCUDA_DEVICES "0" } */
/* { dg-output {^ok\n$} } */

#include <stdio.h>
#include "../offmem.c-c++-common/unified.h"

int
main (void)
{
  double *p = calloc (100000, sizeof *p);
  #pragma omp target teams distribute parallel for map(tofrom: p[0:100000])
  for (int i = 0; i < 100000; i++)
    p[i] += i;
  if (p[99999] != 99999)
    abort ();
  expect_shared (p, 100000 * sizeof *p);
  free (p);
  puts ("ok");
  return 0;
}
