/* A function for host and device calls each one's own malloc: the device has no
   other.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-unit "aux/plain-allocators.c" "-foffload-memory=none" } */
/* { dg-additional-options "-Wno-deprecated-openmp" } */

#include <omp.h>
#include <stdlib.h>

extern volatile int allocations;

#pragma omp declare target
int
last (int n)
{
  volatile int *p = malloc (n * sizeof *p);
  for (int i = 0; i < n; i++)
    p[i] = i;
  int result = p[n - 1];
  free ((void *) p);
  return result;
}
#pragma omp end declare target

int
main (void)
{
  int result = 0, host = 1;
  #pragma omp target map(from: result, host)
  {
    result = last (5);
    host = omp_is_initial_device ();
  }
  if (result != 4 || last (7) != 6)
    abort ();
  return allocations != 1 + host;
}
