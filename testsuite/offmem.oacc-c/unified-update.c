/* acc update and its kin, of all, of parts and with queues; the data stays the same.  */
/* { dg-do run } */
/* { dg-options "-fopenacc -foffload-memory=unified" } */
/* { dg-copied-bytes 4096 } */

#include <openacc.h>
#include "unified.h"

enum { N = 4000 };

int
main (void)
{
  int *a = calloc (N, sizeof *a), local[4] = { 1, 2, 3, 4 };

  #pragma acc data copyin(a[0:N], local)
  {
    a[0] = 5;
    local[0] = 6;
    #pragma acc update device(a[0:N], local)
    acc_update_device (a, N * sizeof *a);
    #pragma acc parallel present(a[0:N], local)
    {
      a[1] = a[0] + local[0];
      local[1] = 7;
    }
    #pragma acc update self(a[0:10], local) async(1)
    #pragma acc wait(1)
    acc_update_self (a, N * sizeof *a);
    if (a[0] != 5 || a[1] != 11 || local[1] != 7)
      abort ();
    acc_update_device_async (a + 1, 40, 2);
    #pragma acc parallel loop present(a[0:N]) async(2)
    for (int i = 0; i < N; i++)
      a[i] += 1;
    #pragma acc update host(a[5:20]) async(2) if_present
    acc_update_self_async (a, 40, 2);
    acc_wait (2);
    if (a[0] != 6 || a[1] != 12 || a[N - 1] != 1)
      abort ();
  }
  if (a[0] != 6 || a[1] != 12 || a[N - 1] != 1)
    abort ();
  expect_shared (a, N * sizeof *a);
  free (a);
  return 0;
}
