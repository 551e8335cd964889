/* Queues that work on shared memory while the host fills more.  */
/* { dg-do run } */
/* { dg-options "-fopenacc -foffload-memory=unified" } */
/* { dg-copied-bytes 16384 } */

#include <openacc.h>
#include "unified.h"

enum { QUEUES = 4, N = 5000 };

int
main (void)
{
  int *blocks[QUEUES], *total = calloc (QUEUES, sizeof *total);

  for (int q = 0; q < QUEUES; q++)
    {
      int *p = blocks[q] = malloc (N * sizeof *p);
      for (int i = 0; i < N; i++)
        p[i] = q;
      #pragma acc enter data copyin(p[0:N]) async(q)
      #pragma acc parallel loop present(p[0:N]) async(q)
      for (int i = 0; i < N; i++)
        p[i] += i;
      #pragma acc parallel num_gangs(1) present(p[0:N]) deviceptr(total) async(q)
      for (int i = 0; i < N; i++)
        total[q] += p[i];
      #pragma acc exit data copyout(p[0:N]) async(q)
    }
  #pragma acc wait
  for (int q = 0; q < QUEUES; q++)
    {
      if (total[q] != N * q + N * (N - 1) / 2 || blocks[q][N - 1] != N - 1 + q)
        abort ();
      free (blocks[q]);
    }
  free (total);
  return 0;
}
