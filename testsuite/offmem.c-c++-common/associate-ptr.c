/* omp_target_associate_ptr: the program chooses the device memory that belongs
   to a host array; maps of the array then copy nothing.  */
/* { dg-do run } */

#include <omp.h>
#include <stdlib.h>

#define N 640

int
main (void)
{
  int device = omp_get_default_device ();
  int host = omp_get_initial_device ();
  int x[N];

  /* On the host there is nothing to associate.  */
  if (device == host)
    return 0;

  int *d = (int *) omp_target_alloc (sizeof x, device);
  if (omp_target_associate_ptr (x, d, sizeof x, 0, device) != 0)
    abort ();
  for (int i = 0; i < N; i++)
    x[i] = i;
  #pragma omp target update to(x)

  #pragma omp target map(tofrom: x)
  for (int i = 0; i < N; i++)
    x[i] += 1;

  if (x[0] != 0)
    abort ();
  #pragma omp target update from(x)
  for (int i = 0; i < N; i++)
    if (x[i] != i + 1)
      abort ();

  if (omp_target_disassociate_ptr (x, device) != 0)
    abort ();
  omp_target_free (d, device);
  return 0;
}
