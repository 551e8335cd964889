/* Mapped as in any program, but nothing is copied: at the same address, host and device
   see each other's writes inside of the data region too.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include "unified.h"

enum { N = 20000 };

int
main (void)
{
  int *a = (int *) malloc (N * sizeof *a), *b = (int *) malloc (N * sizeof *b);
  uintptr_t there = 0;

  for (int i = 0; i < N; i++)
    a[i] = i;
  #pragma omp target map(to: a[0:N]) map(from: b[0:N]) map(from: there)
  {
    there = (uintptr_t) b;
    for (int i = 0; i < N; i++)
      b[i] = 3 * a[i];
  }
  if (there != (uintptr_t) b)
    abort ();
  for (int i = 0; i < N; i++)
    if (b[i] != 3 * i)
      abort ();

  #pragma omp target data map(tofrom: a[0:N])
  {
    a[7] = 70;
    #pragma omp target
    {
      a[8] = a[7] + 1;
      a[9] = 0;
    }
    if (a[8] != 71 || a[9] != 0)
      abort ();
    #pragma omp target data map(to: a[0:N]) map(alloc: b[0:N])
    {
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < N; i++)
        b[i] = a[i];
      a[8] = -1;
    }
  }
  if (a[8] != -1 || b[8] != 71 || b[N - 1] != N - 1)
    abort ();
  free (a);
  free (b);
  return 0;
}
