/* The routines that begin and end data, ask for it and copy, of which only copies with the
   own memory of the device, 4000 bytes each way, are made.  */
/* { dg-do run } */
/* { dg-options "-fopenacc -foffload-memory=unified" } */
/* { dg-copied-bytes 16384 } */

#include <openacc.h>
#include <string.h>
#include "unified.h"

enum { N = 4000 };

int
main (void)
{
  char *a = malloc (N), *b = malloc (N), *own = acc_malloc (N);
  int device = acc_get_device_type () != acc_device_host;

  memset (a, 1, N);
  if (acc_copyin (a, N) != a || acc_create (b, N) != b || acc_deviceptr (a + 7) != a + 7
      || !acc_is_present (a, N))
    abort ();
  a[0] = 2;
  #pragma acc parallel loop present(a[0:N], b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = a[i];
  if (b[0] != 2 || b[N - 1] != 1)
    abort ();
  acc_memcpy_to_device (a, a, N);
  acc_memcpy_from_device (b, b, N);
  acc_memcpy_to_device (b, a, N / 2);
  acc_copyout (b, N);
  acc_delete (a, N);
  if (b[0] != 2 || b[N - 1] != 1 || a[0] != 2 || a[N - 1] != 1)
    abort ();
  memset (b, 3, N);
  acc_memcpy_to_device (own, b, N);
  memset (b, 4, N);
  acc_memcpy_from_device (b, own, N);
  if (b[0] != 3 || b[N - 1] != 3)
    abort ();
  if (device)
    {
      if (acc_copyin (a + 10, 100) != a + 10)
        abort ();
      acc_copyout_finalize (a + 10, 100);
    }
  expect_shared (a, N);
  acc_free (own);
  free (a);
  free (b);
  return 0;
}
