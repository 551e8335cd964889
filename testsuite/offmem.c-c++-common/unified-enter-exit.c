/* Unstructured data: whatever is entered, deleted or released, the memory stays where it
   is, with what it has.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include "unified.h"

enum { N = 5000 };

int
main (void)
{
  int *a = (int *) malloc (N * sizeof *a);
  int wrong = 0;

  for (int i = 0; i < N; i++)
    a[i] = i;
  #pragma omp target enter data map(to: a[0:N])
  for (int i = 0; i < N; i++)
    a[i] += 5;
  #pragma omp target map(tofrom: wrong)
  for (int i = 0; i < N; i++)
    {
      wrong += a[i] != i + 5;
      a[i] = 2 * i;
    }
  expect_shared (a, N * sizeof *a);
  #pragma omp target exit data map(delete: a[0:N])
  for (int i = 0; i < N; i++)
    if (a[i] != 2 * i)
      abort ();
  expect_shared (a, N * sizeof *a);

  #pragma omp target enter data map(alloc: a[10:N - 10])
  #pragma omp target enter data map(to: a[10:N - 10])
  #pragma omp target map(tofrom: wrong)
  for (int i = 10; i < N; i++)
    wrong += a[i]++ != 2 * i;
  #pragma omp target exit data map(release: a[10:N - 10])
  #pragma omp target exit data map(from: a[10:N - 10])
  for (int i = 0; i < N; i++)
    if (a[i] != 2 * i + (i >= 10))
      abort ();
  if (wrong)
    abort ();
  free (a);

  /* The next block, at the same place perhaps.  */
  a = (int *) calloc (N, sizeof *a);
  #pragma omp target map(tofrom: wrong)
  for (int i = 0; i < N; i++)
    wrong += a[i] != 0;
  if (wrong)
    abort ();
  free (a);
  return 0;
}
