/* "target update" both ways, of a part: the host sees device values only after
   "from", the device sees host values only after "to".  */
/* { dg-do run } */

#include <stdlib.h>

#define N 1024

int
main (void)
{
  int *x = (int *) malloc (N * sizeof *x);
  for (int i = 0; i < N; i++)
    x[i] = i;

  #pragma omp target data map(to: x[0:N])
  {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++)
      x[i] += 1;

    #pragma omp target update from(x[100:50])
    for (int i = 100; i < 150; i++)
      if (x[i] != i + 1)
        abort ();

    for (int i = 200; i < 300; i++)
      x[i] = -i;
    #pragma omp target update to(x[200:100])

    #pragma omp target teams distribute parallel for
    for (int i = 200; i < 300; i++)
      x[i] *= 2;

    #pragma omp target update from(x[0:N])
  }

  for (int i = 0; i < N; i++)
    if (x[i] != (i >= 200 && i < 300 ? -2 * i : i + 1))
      abort ();
  free (x);
  return 0;
}
