/* One registered block in turn on the device and, by device(), if() and its number,
   on the host: both see what the other wrote.  */
/* { dg-do run } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */

#include <omp.h>
#include <stdlib.h>

#define N (1 << 18)

int
main (void)
{
  int *x = (int *) calloc (N, sizeof *x), expected = 0;

  for (int round = 0; round < 5; round++)
    {
      #pragma omp target map(tofrom: x[0:N])
      for (int i = 0; i < N; i += 512)
        x[i] += 1;
      #pragma omp target map(tofrom: x[0:N]) device(omp_get_initial_device ())
      for (int i = 0; i < N; i += 512)
        x[i] *= 2;
      #pragma omp target map(tofrom: x[0:N]) if(target: round < 0)
      for (int i = 0; i < N; i += 512)
        x[i] += 3;
      #pragma omp target data map(tofrom: x[0:N]) if(target data: round < 0)
      {
        #pragma omp target map(tofrom: x[0:N])
        for (int i = 0; i < N; i += 512)
          x[i] -= 1;
      }
      expected = (expected + 1) * 2 + 3 - 1;
      for (int i = 0; i < N; i++)
        if (x[i] != (i % 512 ? 0 : expected))
          abort ();
    }
  free (x);
  return 0;
}
