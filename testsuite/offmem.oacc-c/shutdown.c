/* The device is shut down in the middle, with data on it and blocks registered in
   its context, and used again: also by blocks that were registered before, and
   that are other memory now.  */
/* { dg-do run } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */

#include <openacc.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20 };

static void
add (unsigned char *x, int value)
{
  #pragma acc parallel loop copy(x[0:N])
  for (int i = 0; i < N; i += 4096)
    x[i] += value;
}

static void
check (const unsigned char *x, int base, int added)
{
  for (int i = 0; i < N; i++)
    if (x[i] != base + (i % 4096 ? 0 : added))
      abort ();
}

int
main (void)
{
  /* libgomp initialises no device by itself after a shutdown.  */
  acc_device_t type = acc_get_device_type ();
  unsigned char *kept = malloc (N);
  memset (kept, 100, N);

  for (int round = 0; round < 4; round++)
    {
      unsigned char *x = malloc (N), *there = malloc (N);
      memset (x, round, N);
      memset (there, 50 + round, N);
      add (x, 1);
      add (kept, 1);
      #pragma acc enter data copyin(there[0:N])
      acc_shutdown (type);
      check (x, round, 1);
      free (x);
      /* It was never copied back.  */
      check (there, 50 + round, 0);
      acc_init (type);
      add (there, 2);
      check (there, 50 + round, 2);
      free (there);
    }
  check (kept, 100, 4);
  free (kept);
  return 0;
}
