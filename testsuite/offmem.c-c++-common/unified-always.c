/* Clauses that ask for a copy, whatever is there already, have nothing to do.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include "unified.h"

enum { N = 4000 };

int
main (void)
{
  int *a = (int *) calloc (N, sizeof *a);
  uintptr_t there = 0;

  #pragma omp target map(always, tofrom: a[0:N]) map(from: there)
  {
    there = (uintptr_t) a;
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
  if (there != (uintptr_t) a)
    abort ();
  #pragma omp target data map(always, to: a[0:N])
  {
    a[3] = 300;
    #pragma omp target map(always, to: a[0:N])
    a[4] = a[3] + 1;
    if (a[4] != 301)
      abort ();
    #pragma omp target map(always, from: a[3:2])
    a[3]++;
  }
  #pragma omp target enter data map(always, to: a[1:N - 1])
  a[5] = -5;
  #pragma omp target exit data map(always, from: a[1:N - 1])
  if (a[0] != 0 || a[3] != 301 || a[4] != 301 || a[5] != -5)
    abort ();
  for (int i = 6; i < N; i++)
    if (a[i] != i)
      abort ();
  expect_shared (a, N * sizeof *a);
  free (a);
  return 0;
}
