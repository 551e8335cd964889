/* Regions that map parts of one block, apart, beside each other and overlapping, which
   separate memory would refuse.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include "unified.h"

enum { N = 10000 };

static void
add (long *a, int from, int n, long what)
{
  uintptr_t there = 0;
  #pragma omp target map(tofrom: a[from:n]) map(from: there)
  {
    there = (uintptr_t) &a[from];
    for (int i = from; i < from + n; i++)
      a[i] += what;
  }
  if (there != (uintptr_t) &a[from])
    abort ();
}

int
main (void)
{
  long *a = (long *) calloc (N, sizeof *a);

  add (a, 0, 1, 1);
  add (a, 1, 1, 2);
  if (a[0] != 1 || a[1] != 2)
    abort ();
  #pragma omp target enter data map(to: a[0:N / 2])
  add (a, 0, N / 2, 10);
  add (a, N / 4, N / 2, 100);
  add (a, N / 2, N / 2, 1000);
  add (a, 0, N, 10000);
  #pragma omp target exit data map(from: a[0:N / 2])
  for (int i = 2; i < N; i++)
    {
      long expected = 10000 + (i < N / 2 ? 10 : 1000) + (i >= N / 4 && i < N / 4 + N / 2 ? 100 : 0);
      if (a[i] != expected)
        abort ();
    }
  free (a);
  return 0;
}
