/* target update, of all or a part, mapped or not, with what the stack has beside it.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include "unified.h"

enum { N = 4000 };

int
main (void)
{
  double *a = (double *) calloc (N, sizeof *a);
  int local[4] = { 1, 2, 3, 4 };

  #pragma omp target update to(a[0:N])
  #pragma omp target data map(to: a[0:N], local)
  {
    a[0] = 1;
    local[0] = 10;
    #pragma omp target update to(a[0:N], local)
    #pragma omp target
    {
      a[1] = a[0] + local[0];
      local[1] = 20;
    }
    if (a[1] != 11 || local[1] == 20)
      {
        /* On the host both are the same memory.  */
        int host = 0;
        #pragma omp target map(from: host)
        host = &local[1] != NULL && local[1] == 20;
        if (a[1] != 11 || !host)
          abort ();
      }
    #pragma omp target update from(a[0:2], local)
    if (a[0] != 1 || a[1] != 11 || local[1] != 20)
      abort ();
    #pragma omp target update to(a[10:N - 10]) nowait
    #pragma omp target update from(a[10:5]) nowait depend(inout: a[10])
    #pragma omp taskwait
  }
  #pragma omp target update from(a[0:N])
  for (int i = 2; i < N; i++)
    if (a[i] != 0)
      abort ();
  expect_shared (a, N * sizeof *a);
  free (a);
  return 0;
}
