/* A construct that runs on the host comes first: the device's later ones are
   registered all the same.  */
/* { dg-do run { target offload_device } } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */

#include <offmem.h>
#include <openacc.h>
#include <stdlib.h>

enum { N = 1 << 20 };

static void
add (char *x, int here)
{
  #pragma acc parallel loop copy(x[0:N]) if(!here)
  for (int i = 0; i < N; i += 4096)
    x[i] += 1;
}

int
main (void)
{
  acc_device_t device = acc_get_device_type ();
  char *x = calloc (N, 1);

  acc_set_device_type (acc_device_host);
  add (x, 0);
  if (offmem_is_pinned (x, N))
    abort ();
  acc_set_device_type (device);
  add (x, 1);
  add (x, 0);
  if (!offmem_is_pinned (x, N))
    abort ();
  for (int i = 0; i < N; i++)
    if (x[i] != (i % 4096 ? 0 : 3))
      abort ();
  free (x);
  return 0;
}
