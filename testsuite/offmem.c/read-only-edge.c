/* Memory that can only be read is not page-locked where its last page can be
   written: the device could not copy to that any more.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */

#define _GNU_SOURCE
#include <offmem.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, N = 1 << 21, FLAGS = MAP_PRIVATE | MAP_ANONYMOUS };

static int
sum_of (const char *x)
{
  int sum = 0;

  #pragma omp target map(to: x[0:N]) map(tofrom: sum)
  for (int i = 0; i < N; i += PAGE / 4)
    sum += x[i];
  return sum;
}

/* The last page of X, and with it other memory, is the device's to write.  */
static void
check (char *x)
{
  char *last = x + N - PAGE;

  for (int round = 1; round <= 10; round++)
    {
      if (sum_of (x) != 4 * (round - 1) || offmem_is_pinned (x, N))
        abort ();
      #pragma omp target map(tofrom: last[0:PAGE])
      for (int i = 0; i < PAGE; i++)
        last[i]++;
      if (last[0] != round || last[PAGE - 1] != round)
        abort ();
    }
}

int
main (void)
{
  struct offmem_stats stats;
  char *x = mmap (NULL, N, PROT_READ, FLAGS, -1, 0);
  char *y = mmap (NULL, N, PROT_READ, FLAGS, -1, 0);

  if (x == MAP_FAILED || mprotect (x + N - PAGE, PAGE, PROT_READ | PROT_WRITE) != 0)
    abort ();
  check (x);
  if (y == MAP_FAILED
      || mmap (y + N - PAGE, PAGE, PROT_READ | PROT_WRITE, FLAGS | MAP_FIXED, -1, 0)
         == MAP_FAILED)
    abort ();
  check (y);
  if (offmem_get_stats (&stats, sizeof stats) != 0 || stats.registrations != 0)
    abort ();
  /* All of the first can be written at last.  */
  if (mprotect (x, N, PROT_READ | PROT_WRITE) != 0
      || sum_of (x) != 40 || !offmem_is_pinned (x, N))
    abort ();
  return 0;
}
