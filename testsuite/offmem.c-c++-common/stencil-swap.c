/* Two buffers whose pointers change places after each step while both are
   mapped: the runtime must go by address, not by name.  */
/* { dg-do run } */

#include <stdlib.h>

#define N 512
#define STEPS 11

int
main (void)
{
  int *now = (int *) calloc (N, sizeof *now);
  int *next = (int *) calloc (N, sizeof *next);
  int *first = now, *second = next;

  now[N / 2] = 1;
  #pragma omp target enter data map(to: first[0:N], second[0:N])
  for (int step = 0; step < STEPS; step++)
    {
      #pragma omp target teams distribute parallel for map(now[0:N], next[0:N])
      for (int i = 1; i < N - 1; i++)
        next[i] = now[i - 1] + now[i + 1];
      int *t = now;
      now = next;
      next = t;
    }
  #pragma omp target exit data map(from: first[0:N], second[0:N])

  /* A row of Pascal's triangle.  */
  int binomial = 1;
  for (int k = 0; k <= STEPS; k++)
    {
      if (now[N / 2 - STEPS + 2 * k] != binomial)
        abort ();
      binomial = binomial * (STEPS - k) / (k + 1);
    }
  free (first);
  free (second);
  return 0;
}
