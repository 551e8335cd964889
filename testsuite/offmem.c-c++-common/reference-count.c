/* Two "enter data" for one array need two "exit data"; only then are the values
   back on the host.  */
/* { dg-do run } */

#include <omp.h>
#include <stdlib.h>

#define N 128

int
main (void)
{
  int *x = (int *) calloc (N, sizeof *x);
  int device = omp_get_default_device ();

  #pragma omp target enter data map(to: x[0:N])
  #pragma omp target enter data map(to: x[0:N])
  #pragma omp target
  for (int i = 0; i < N; i++)
    x[i] = i;

  #pragma omp target exit data map(from: x[0:N])
  if (!omp_target_is_present (x, device))
    abort ();
  #pragma omp target exit data map(from: x[0:N])
  if (device != omp_get_initial_device () && omp_target_is_present (x, device))
    abort ();

  for (int i = 0; i < N; i++)
    if (x[i] != i)
      abort ();
  free (x);
  return 0;
}
