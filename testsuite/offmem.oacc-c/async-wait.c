/* Several queues: copies and regions in each go on in order, and the host waits
   for one, for several by clause, and for all.  */
/* { dg-do run } */

#include <stdlib.h>

#define QUEUES 3
#define N 20000

int
main (void)
{
  int *x[QUEUES];

  for (int q = 0; q < QUEUES; q++)
    {
      int *p = x[q] = malloc (N * sizeof *p);
      for (int i = 0; i < N; i++)
        p[i] = i;
      #pragma acc enter data copyin(p[0:N]) async(q + 1)
      #pragma acc parallel loop present(p[0:N]) async(q + 1)
      for (int i = 0; i < N; i++)
        p[i] += q;
    }

  int *a = x[0], *b = x[1], *c = x[2];
  #pragma acc parallel loop present(a[0:N], b[0:N], c[0:N]) wait(1, 2, 3)
  for (int i = 0; i < N; i++)
    a[i] += b[i] + c[i];

  #pragma acc update self(b[0:N]) async(2)
  #pragma acc wait(2)
  for (int i = 0; i < N; i++)
    if (b[i] != i + 1)
      abort ();

  #pragma acc exit data copyout(a[0:N]) async(1)
  #pragma acc exit data delete(b[0:N]) async(2)
  #pragma acc exit data copyout(c[0:N]) async(3)
  #pragma acc wait
  for (int i = 0; i < N; i++)
    if (a[i] != 3 * i + 3 || c[i] != i + 2)
      abort ();
  for (int q = 0; q < QUEUES; q++)
    free (x[q]);
  return 0;
}
