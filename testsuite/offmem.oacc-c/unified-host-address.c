/* The host's address of an address on the device is the same one.  */
/* { dg-do run } */
/* { dg-options "-fopenacc -foffload-memory=unified" } */
/* { dg-copied-bytes 1024 } */

#include <openacc.h>
#include "unified.h"

int
main (void)
{
  char *a = calloc (1000, 1);

  acc_copyin (a, 1000);
  if (acc_hostptr (a) != a || acc_hostptr (a + 999) != a + 999 || acc_deviceptr (a + 999) != a + 999)
    abort ();
  acc_delete (a, 1000);
  expect_shared (a, 1000);
  free (a);
  return 0;
}
