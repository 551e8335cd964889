/* Several host threads map, allocate and free at the same time, many times;
   none sees another's data.  */
/* { dg-do run } */

#include <stdlib.h>

#define THREADS 4
#define ROUNDS 25

int
main (void)
{
  int errors = 0;

  #pragma omp parallel for num_threads(THREADS) schedule(static, 1) reduction(+: errors)
  for (int t = 0; t < THREADS; t++)
    for (int round = 1; round <= ROUNDS; round++)
      {
        int n = 1000 * (round + t);
        int *x = (int *) malloc (n * sizeof *x);
        for (int i = 0; i < n; i++)
          x[i] = t;

        #pragma omp target map(tofrom: x[0:n])
        for (int i = 0; i < n; i++)
          x[i] += i;

        for (int i = 0; i < n; i++)
          errors += x[i] != t + i;
        free (x);
      }

  if (errors)
    abort ();
  return 0;
}
