/* Target tasks that need not be waited for, in an order given by depend: each
   block is made, doubled and summed in turn, blocks beside one another.  */
/* { dg-do run } */

#include <stdlib.h>

#define BLOCKS 8
#define N 500

int
main (void)
{
  int *x = (int *) malloc (BLOCKS * N * sizeof *x);
  int sum[BLOCKS];

  #pragma omp parallel
  #pragma omp single
  {
    for (int b = 0; b < BLOCKS; b++)
      {
        int *p = x + b * N;
        int *s = sum + b;

        #pragma omp target nowait depend(out: p[0]) map(from: p[0:N]) firstprivate(b)
        for (int i = 0; i < N; i++)
          p[i] = b + i;

        #pragma omp target nowait depend(inout: p[0]) map(tofrom: p[0:N])
        for (int i = 0; i < N; i++)
          p[i] *= 2;

        #pragma omp target nowait depend(in: p[0]) map(to: p[0:N]) map(from: s[0:1])
        {
          s[0] = 0;
          for (int i = 0; i < N; i++)
            s[0] += p[i];
        }
      }
    #pragma omp taskwait
  }

  for (int b = 0; b < BLOCKS; b++)
    if (sum[b] != 2 * N * b + N * (N - 1))
      abort ();
  free (x);
  return 0;
}
