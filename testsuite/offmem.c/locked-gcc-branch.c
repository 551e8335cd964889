/* GCC's own branch with this option emits a call of GOMP_enable_pinned_mode.
   Objects from there link with our runtime, and it locks.  */
/* { dg-do run { target { memlock_all && { ! offload_device } } } } */

#include "vmlck.h"

void GOMP_enable_pinned_mode (void);

int
main (void)
{
  GOMP_enable_pinned_mode ();
  if (vmlck_kib () <= 0)
    abort ();
  return 0;
}
