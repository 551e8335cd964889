/* A file that is mapped to be read is page-locked for reading.  When it becomes
   writable, the device must be able to copy to it, and see what is written.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */

#define _GNU_SOURCE
#include <offmem.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 1 << 18 };

static const size_t size = N * sizeof (int);

static void
expect (unsigned registrations, unsigned unregistrations)
{
  struct offmem_stats stats;

  if (offmem_get_stats (&stats, sizeof stats) != 0 || stats.failures != 0
      || stats.registrations != registrations
      || stats.unregistrations != unregistrations)
    abort ();
}

/* In memory: the kernel does not pin pages of a disk's files for writing.  */
static int
numbers (void)
{
  int file = memfd_create ("numbers", 0);

  if (file < 0)
    abort ();
  for (int i = 0; i < N; i++)
    if (write (file, &i, sizeof i) != sizeof i)
      abort ();
  return file;
}

static void
try (int flags, unsigned before)
{
  int file = numbers ();
  int *x = mmap (NULL, size, PROT_READ, flags, file, 0);

  if (x == MAP_FAILED)
    abort ();
  for (int round = 0; round < 3; round++)
    {
      long sum = 0;

      #pragma omp target map(to: x[0:N]) map(tofrom: sum)
      for (int i = 0; i < N; i++)
        sum += x[i];

      if (sum != (long) N * (N - 1) / 2)
        abort ();
      expect (before + 1, before);
    }

  if (mprotect (x, size, PROT_READ | PROT_WRITE) != 0)
    abort ();
  expect (before + 1, before + 1);
  for (int i = 0; i < N; i++)
    x[i] = 2 * i;

  #pragma omp target map(tofrom: x[0:N])
  for (int i = 0; i < N; i++)
    x[i] += 3;

  for (int i = 0; i < N; i++)
    if (x[i] != 2 * i + 3)
      abort ();
  expect (before + 2, before + 1);

  /* What is registered for writing stays so.  */
  if (mprotect (x, size, PROT_READ) != 0
      || mprotect (x, size, PROT_READ | PROT_WRITE) != 0)
    abort ();
  expect (before + 2, before + 1);
  munmap (x, size);
  expect (before + 2, before + 2);
  close (file);
}

int
main (void)
{
  try (MAP_PRIVATE, 0);
  try (MAP_SHARED, 2);
  return 0;
}
