/* Where nothing is offloaded there is nothing to say: plain memory, and right results.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-no-kernel "offloading is disabled" } */
/* { dg-set-target-env-var OMP_TARGET_OFFLOAD "disabled" } */
/* { dg-output {^ok\n$} } */

#include <stdio.h>
#include "../offmem.c-c++-common/unified.h"

int
main (void)
{
  int *p = malloc (1000 * sizeof *p);
  p[0] = 1;
  expect_shared (p, 1000 * sizeof *p);
  #pragma omp target map(always, tofrom: p[0:1000])
  p[0]++;
  #pragma omp target update from(p[0:1000])
  p = realloc (p, 4 << 20);
  if (p[0] != 2)
    abort ();
  free (p);
  puts ("ok");
  return 0;
}
