/* A private mapping of a file, here the program itself, is mapped read-only to
   the device; such pages cannot be pinned for writing.  */
/* { dg-do run } */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int
main (void)
{
  int file = open ("/proc/self/exe", O_RDONLY);
  unsigned char *x = mmap (NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
  int elf = 0;

  if (x == MAP_FAILED)
    abort ();
  #pragma omp target map(to: x[0:4096]) map(from: elf)
  elf = x[0] == 0x7f && x[1] == 'E' && x[2] == 'L' && x[3] == 'F';
  if (!elf)
    abort ();
  munmap (x, 4096);
  close (file);
  return 0;
}
