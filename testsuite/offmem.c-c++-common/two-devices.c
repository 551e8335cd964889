/* One host array on every device in turn; each adds its part.  */
/* { dg-do run } */

#include <omp.h>
#include <stdlib.h>

#define N 2048

int
main (void)
{
  int devices = omp_get_num_devices ();
  int *x = (int *) calloc (N, sizeof *x);

  /* The last one is the host.  */
  for (int d = 0; d <= devices; d++)
    {
      #pragma omp target device(d) map(tofrom: x[0:N])
      for (int i = 0; i < N; i++)
        x[i] += i;
    }

  for (int i = 0; i < N; i++)
    if (x[i] != (devices + 1) * i)
      abort ();
  free (x);
  return 0;
}
