/* What copies do with memory that is registered, partly or no more.  */

#define _GNU_SOURCE
#include "rules.h"

#include <string.h>
#include <sys/mman.h>

/* Two registrations that touch.  */
static char *
neighbours (void)
{
  char *p = registered (2 * SIZE, 1);
  MUST (cu.host_unregister (p));
  MUST (cu.host_register (p, SIZE, 0));
  MUST (cu.host_register (p + SIZE, SIZE, 0));
  return p;
}

const char *
adjacent (void)
{
  char *p = neighbours ();
  return status (cu.to_device (device_memory (2 * SIZE), p, 2 * SIZE));
}

/* Memory of which the first half is registered.  */
char *
half (void)
{
  char *p = filled (2 * SIZE, 1);
  MUST (cu.host_register (p, SIZE, 0));
  return p;
}

const char *
straddle_to_device (void)
{
  char *p = half ();
  return status (cu.to_device (device_memory (2 * SIZE), p, 2 * SIZE));
}

const char *
straddle_from_device (void)
{
  char *p = half ();
  return status (cu.from_device (p, device_memory (2 * SIZE), 2 * SIZE));
}

const char *
straddle_async (void)
{
  char *p = half ();
  CUstream stream;
  MUST (cu.stream_create (&stream, 1));
  CUresult result = cu.to_device_async (device_memory (2 * SIZE), p, 2 * SIZE, stream);
  return status (result ? result : cu.stream_synchronize (stream));
}

/* The copy begins in what is not registered.  */
const char *
straddle_from_outside (void)
{
  char *p = filled (2 * SIZE, 1);
  MUST (cu.host_register (p + SIZE, SIZE, 0));
  return status (cu.to_device (device_memory (2 * SIZE), p, 2 * SIZE));
}

const char *
stale_to_device (void)
{
  char *p = registered (SIZE, 1);
  replace (p, SIZE, 2);
  return age (device_sees (p, SIZE));
}

const char *
stale_from_device (void)
{
  CUdeviceptr d = device_memory (SIZE);
  MUST (cu.to_device (d, filled (SIZE, 3), SIZE));
  char *p = registered (SIZE, 1);
  replace (p, SIZE, 2);
  MUST (cu.from_device (p, d, SIZE));
  MUST (cu.synchronize ());
  return *p == 2 ? "lost" : *p == 3 ? "arrived" : "neither";
}

const char *
stale_discarded (void)
{
  char *p = registered (SIZE, 1);
  madvise (p, SIZE, MADV_DONTNEED);
  memset (p, 2, SIZE);
  return age (device_sees (p, SIZE));
}

const char *
stale_moved (void)
{
  char *p = registered (SIZE, 1), *q = mapped (SIZE);
  if (mremap (p, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, q) != q)
    return "failure";
  replace (p, SIZE, 2);
  return device_sees (q, SIZE) == 1 ? age (device_sees (p, SIZE)) : "moved wrong";
}

const char *
stale_again (void)
{
  char *p = registered (SIZE, 1);
  replace (p, SIZE, 2);
  return status (cu.host_register (p, SIZE, 0));
}

const char *
stale_unregister (void)
{
  char *p = registered (SIZE, 1);
  munmap (p, SIZE);
  return status (cu.host_unregister (p));
}

/* What the product relies on: after unregistering, the new pages count.  */
const char *
fresh (void)
{
  char *p = registered (SIZE, 1);
  MUST (cu.host_unregister (p));
  replace (p, SIZE, 2);
  MUST (cu.host_register (p, SIZE, 0));
  return age (device_sees (p, SIZE));
}

const char *
unregister_busy (void)
{
  enum { COPIES = 8 };
  size_t size = 16 * SIZE;
  char *p = registered (size, 1), *back = filled (size, 99);
  CUdeviceptr d[COPIES];
  CUstream stream;
  MUST (cu.stream_create (&stream, 1));
  for (int i = 0; i < COPIES; i++)
    d[i] = device_memory (size);
  for (int i = 0; i < COPIES; i++)
    MUST (cu.to_device_async (d[i], p, size, stream));
  CUresult result = cu.host_unregister (p);
  if (result == 0)
    memset (p, 2, size);
  MUST (cu.stream_synchronize (stream));
  for (int i = 0; i < COPIES; i++)
    {
      MUST (cu.from_device (back, d[i], size));
      if (*back != 1 || memcmp (back, back + 1, size - 1) != 0)
	return "torn";
    }
  return status (result);
}
