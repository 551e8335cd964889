/* Where all memory is locked, a mapped file is not: a program may read through
   one that is larger than memory.  */
/* { dg-do run { target { memlock_all && { ! offload_device } } } } */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "vmlck.h"

int
main (void)
{
  const size_t size = 64 << 20;
  char name[] = "/tmp/offmem-XXXXXX";
  int file = mkstemp (name);
  long before, after;

  if (file < 0 || ftruncate (file, size))
    abort ();
  unlink (name);

  #pragma omp target
  ;
  before = vmlck_kib ();
  if (before <= 0)
    abort ();
  if (mmap (NULL, size, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED)
    abort ();
  after = vmlck_kib ();
  if (after - before > 1024)
    abort ();
  if (mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
    abort ();
  if (vmlck_kib () - after < 60 * 1024)
    abort ();
  return 0;
}
