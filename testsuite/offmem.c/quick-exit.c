/* quick_exit with registered blocks: its handlers may still offload, since the
   device is not ended, and the exit status stays.  */
/* { dg-do run } */
/* { dg-no-kernel "statistics are not written" } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */
/* { dg-shouldfail "exits with 3" } */
/* { dg-output {^handler\n$} } */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20 };

static unsigned char *x;

static void
offload (int expected)
{
  #pragma omp target map(tofrom: x[0:N])
  for (int i = 0; i < N; i += 4096)
    x[i] += 1;
  for (int i = 0; i < N; i++)
    if (x[i] != (i % 4096 ? 0 : expected))
      abort ();
}

static void
handler (void)
{
  offload (2);
  free (x);
  puts ("handler");
  fflush (stdout);
}

int
main (void)
{
  x = calloc (N, 1);
  at_quick_exit (handler);
  offload (1);
  quick_exit (3);
}
