/* What copies achieve from and to each kind of host memory: the driver's own,
   which is what pinning aims at, registered memory, and pageable memory.  */

#include "driver.h"
#include "probe.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void
time_copies (const char *memory, char *p, CUdeviceptr d, size_t size)
{
  for (int direction = 0; direction < 2; direction++)
    {
      /* Some hundred milliseconds each; the first round warms up.  */
      int rounds = 2 + (int) (1024 * MIB / size > 50 ? 50 : 1024 * MIB / size);
      double best = 1e9;
      for (int i = 0; i < rounds; i++)
	{
	  double start = seconds ();
	  if (direction == 0)
	    MUST (cu.to_device (d, p, size));
	  else
	    MUST (cu.from_device (p, d, size));
	  double taken = seconds () - start;
	  if (i > 0 && taken < best)
	    best = taken;
	}
      const char *name = direction == 0 ? "to" : "from";
      printf ("%8zu MiB %-4s %-10s %8.2f GB/s\n", size / MIB, name, memory, size / best * 1e-9);
      result ("{\"kind\": \"copy\", \"memory\": \"%s\", \"direction\": \"%s\", \"size\": %zu, "
	      "\"gbps\": %.3f}",
	      memory, name, size, size / best * 1e-9);
    }
}

void
copies (size_t most)
{
  double begin = seconds (), start = begin;
  if (most > 2048 * MIB)
    most = 2048 * MIB;
  for (size_t size = MIB; size; size = next_size (size, most, begin, start, 40))
    {
      start = seconds ();
      CUdeviceptr d;
      void *pinned;
      char *p = memset (mapped (size), 1, size);
      MUST (cu.allocate (&d, size));
      time_copies ("pageable", p, d, size);
      MUST (cu.host_register (p, size, REGISTER_PORTABLE));
      time_copies ("registered", p, d, size);
      MUST (cu.host_unregister (p));
      munmap (p, size);
      MUST (cu.host_allocate (&pinned, size, 0));
      time_copies ("pinned", memset (pinned, 1, size), d, size);
      MUST (cu.host_free (pinned));
      MUST (cu.free (d));
    }
}
