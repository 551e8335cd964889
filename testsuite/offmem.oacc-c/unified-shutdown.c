/* After acc_shutdown the host has its memory still, allocates and frees; and the device can be
   begun again.  */
/* { dg-do run } */
/* { dg-options "-fopenacc -foffload-memory=unified" } */

#include <openacc.h>
#include <string.h>
#include "unified.h"

/* Two are more than the first slab, which is ordinary memory.  */
enum { N = 1500000 };

int
main (void)
{
  acc_device_t type = acc_get_device_type ();
  unsigned char *a = malloc (N);

  memset (a, 1, N);
  for (int round = 1; round < 4; round++)
    {
      #pragma acc parallel loop copy(a[0:N])
      for (int i = 0; i < N; i += 1000)
        a[i]++;
      acc_shutdown (type);
      if (a[0] != round + 1 || a[1] != 1)
        abort ();
      a[1] = 2;
      unsigned char *more = calloc (N, 1);
      memcpy (more, a, N);
      a[1] = 1;
      free (a);
      more[1] = 1;
      a = more;
      acc_init (type);
    }
  if (a[0] != 4 || a[199000] != 4)
    abort ();
  #pragma acc parallel loop copyin(a[0:N])
  for (int i = 0; i < N; i++)
    a[i] = 9;
  a = realloc (a, 2 * N);
  free (a);
  return 0;
}
