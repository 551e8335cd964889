/* Sections without a length or of none say nothing about how much is used.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include "unified.h"

enum { N = 1000 };

int
main (void)
{
  int *a = (int *) calloc (N, sizeof *a), *nothing = NULL;
  int zero = 0, null = 0;

  #pragma omp target map(tofrom: a[0:zero])
  a[0] = 1;
  #pragma omp target map(a[:0])
  a[N - 1] = 2;
  #pragma omp target map(to: a[N:zero])
  a[1] = 3;
  #pragma omp target enter data map(to: a[zero:zero])
  #pragma omp target
  a[2] = 4;
  #pragma omp target exit data map(release: a[zero:zero])
  #pragma omp target map(from: null)
  null = nothing == NULL;
  if (a[0] != 1 || a[N - 1] != 2 || a[1] != 3 || a[2] != 4 || !null)
    abort ();
  free (a);
  return 0;
}
