/* Which memory may be registered and unregistered.  */

#define _GNU_SOURCE
#include "rules.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char initialised[SIZE] = { 1 };
static const char constant[SIZE] = { 1 };

const char *
overlap (void)
{
  char *p = filled (4 * SIZE, 1);
  const size_t ranges[][2] = { { SIZE, SIZE }, { 0, 4 * SIZE }, { 0, SIZE + 1 }, { 2 * SIZE - 1, 1 } };
  CUresult first = 0;
  MUST (cu.host_register (p + SIZE, SIZE, 0));
  for (int i = 0; i < 4; i++)
    {
      CUresult result = cu.host_register (p + ranges[i][0], ranges[i][1], 0);
      if (i > 0 && result != first)
	return "mixed";
      first = result;
    }
  return status (first);
}

const char *
unknown (void)
{
  return status (cu.host_unregister (filled (SIZE, 1)));
}

const char *
unregister_interior (void)
{
  return status (cu.host_unregister (registered (SIZE, 1) + PAGE));
}

const char *
unregister_twice (void)
{
  char *p = registered (SIZE, 1);
  MUST (cu.host_unregister (p));
  return status (cu.host_unregister (p));
}

const char *
no_bytes (void)
{
  return status (cu.host_register (filled (SIZE, 1), 0, 0));
}

const char *
unmapped (void)
{
  char *p = filled (SIZE, 1);
  munmap (p, SIZE);
  return status (cu.host_register (p, SIZE, 0));
}

const char *
partly_unmapped (void)
{
  char *p = filled (2 * SIZE, 1);
  munmap (p + SIZE, SIZE);
  return status (cu.host_register (p, 2 * SIZE, 0));
}

const char *
same_page (void)
{
  char *p = filled (SIZE, 1);
  MUST (cu.host_register (p, 100, 0));
  return status (cu.host_register (p + 200, 100, 0));
}

const char *
unaligned (void)
{
  return status (cu.host_register (filled (SIZE, 1) + 3, SIZE - 10, 0));
}

static const char *
read_only_memory (unsigned flags)
{
  char *p = filled (SIZE, 1);
  mprotect (p, SIZE, PROT_READ);
  return status (cu.host_register (p, SIZE, flags));
}

const char *
read_only (void)
{
  return read_only_memory (0);
}

const char *
read_only_flag (void)
{
  return read_only_memory (REGISTER_READ_ONLY);
}

const char *
register_managed (void)
{
  CUdeviceptr p;
  MUST (cu.manage (&p, SIZE, ATTACH_GLOBAL));
  return status (cu.host_register ((void *) p, SIZE, 0));
}

const char *
register_allocated (void)
{
  void *p;
  MUST (cu.host_allocate (&p, SIZE, 0));
  return status (cu.host_register (p, SIZE, 0));
}

const char *
static_data (void)
{
  return status (cu.host_register (initialised, SIZE, 0));
}

const char *
constant_data (void)
{
  return status (cu.host_register ((void *) constant, SIZE, 0));
}

static const char *
mapped_file (int sharing)
{
  char name[] = "/tmp/offmem-gpu-XXXXXX";
  int file = mkstemp (name);
  if (file < 0 || ftruncate (file, SIZE) != 0)
    return "failure";
  unlink (name);
  char *p = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, sharing, file, 0);
  memset (p, 1, SIZE);
  return status (cu.host_register (p, SIZE, 0));
}

const char *
private_file (void)
{
  return mapped_file (MAP_PRIVATE);
}

const char *
shared_file (void)
{
  return mapped_file (MAP_SHARED);
}

const char *
shared_memory (void)
{
  char *p = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  memset (p, 1, SIZE);
  return status (cu.host_register (p, SIZE, 0));
}
