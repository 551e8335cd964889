/* OpenACC.  A device that was shut down and comes back knows what was unified before.  */

#include <openacc.h>
#include <stdlib.h>

int
main (void)
{
  unsigned char *p = malloc (8 << 20);
  p[0] = 1;
  for (int round = 0; round < 2; round++)
    {
      #pragma acc parallel deviceptr (p)
      p[0]++;
      if (!acc_is_present (p, 8 << 20) || p[0] != 2 + round)
        abort ();
      acc_shutdown (acc_get_device_type ());
      acc_init (acc_device_nvidia);
    }
  return 0;
}
