/* OpenACC.  OFFMEM_LIMIT has room for one of two blocks, and the first has a copy in a
   queue when the second is mapped.  */

#include "common.h"
#include <openacc.h>

int
main (void)
{
  unsigned char *a = malloc (SIZE), *b = malloc (SIZE);
  struct offmem_stats stats;
  memset (a, 1, SIZE);
  memset (b, 2, SIZE);
  #pragma acc parallel
  ;
  acc_copyin (a, SIZE);
  acc_update_device_async (a, SIZE, 1);
  acc_copyin (b, SIZE);
  acc_update_device (b, SIZE);
  acc_wait (1);
  expect (offmem_get_stats (&stats, sizeof stats) == 0, "no figures");
  expect (stats.registrations > 0, "nothing was registered");
  expect (stats.evictions == 0, "a block was unregistered below a copy");
  return 0;
}
