/* What the programs beside this file share: each does one thing in which a
   protection of the runtime is all that stands before wrong data.  They end
   with status 0, or 1 and a line.  */

#define _GNU_SOURCE
#include <omp.h>
#include <offmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 2 << 20 };

static void
expect (int holds, const char *what)
{
  if (!holds)
    {
      fprintf (stderr, "%s\n", what);
      exit (1);
    }
}

/* As programs' own allocators get it that no hook sees.  */
__attribute__ ((unused)) static unsigned char *
hidden_pages (void *place)
{
  long p = syscall (SYS_mmap, place, (size_t) SIZE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED : 0), -1, 0L);
  expect (p != -1, "no memory");
  return (unsigned char *) p;
}

/* Without a construct, nothing here would be for the runtime.  */
__attribute__ ((constructor)) static void
begin (void)
{
  #pragma omp target
  ;
}

/* What the device reads in P.  */
__attribute__ ((unused)) static int
read_there (unsigned char *p)
{
  static void *there;
  unsigned char first;
  int host = omp_get_initial_device (), device = omp_get_default_device ();
  if (!there)
    there = omp_target_alloc (SIZE, device);
  expect (there != NULL, "no device");
  expect (omp_target_memcpy (there, p, SIZE, 0, 0, device, host) == 0
          && omp_target_memcpy (&first, there, 1, 0, 0, host, device) == 0, "a copy failed");
  return first;
}
