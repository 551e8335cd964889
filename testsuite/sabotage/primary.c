/* OpenACC.  Memory outlives the device.  */

#include <openacc.h>
#include <stdlib.h>

int
main (void)
{
  #pragma acc parallel
  ;
  unsigned char *p = malloc (8 << 20);
  p[0] = 1;
  #pragma acc parallel deviceptr (p)
  p[0]++;
  acc_shutdown (acc_get_device_type ());
  return p[0] != 2;
}
