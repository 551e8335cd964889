/* Regions that run as tasks, in the order of their dependences, beside the host's own work.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include "unified.h"

enum { N = 3000, BLOCKS = 4 };

int
main (void)
{
  int *blocks[BLOCKS], *sum = (int *) calloc (1, sizeof *sum);

  for (int b = 0; b < BLOCKS; b++)
    {
      int *p = blocks[b] = (int *) malloc (N * sizeof *p);
      #pragma omp target nowait depend(out: p[0]) map(tofrom: p[0:N])
      for (int i = 0; i < N; i++)
        p[i] = b;
      #pragma omp task depend(inout: p[0]) firstprivate(p)
      p[N - 1] = 10 * b;
      #pragma omp target nowait depend(inout: p[0])
      for (int i = 0; i < N; i++)
        p[i]++;
      #pragma omp target update to(p[0:N]) nowait depend(inout: p[0])
      #pragma omp target enter data map(to: p[0:N]) nowait depend(inout: p[0])
      #pragma omp target nowait depend(in: p[0]) depend(inout: sum[0])
      for (int i = 0; i < N; i++)
        *sum += p[i];
      #pragma omp target exit data map(from: p[0:N]) nowait depend(inout: p[0])
    }
  #pragma omp taskwait
  int expected = 0;
  for (int b = 0; b < BLOCKS; b++)
    {
      expected += (N - 1) * (b + 1) + 10 * b + 1;
      if (blocks[b][0] != b + 1 || blocks[b][N - 1] != 10 * b + 1)
        abort ();
      free (blocks[b]);
    }
  if (*sum != expected)
    abort ();
  free (sum);
  return 0;
}
