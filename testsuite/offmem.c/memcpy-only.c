/* A unit without a construct, which only copies by a routine: its memory is registered, too.  */
/* { dg-do run { target offload_device } } */
/* { dg-no-kernel "the program has no construct" } */
/* { dg-options "-fopenmp -foffload-memory=pinned" } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */
/* { dg-final { scan-undefined {\moffmem_enable\M} } } */

#include <omp.h>
#include <offmem.h>
#include <stdlib.h>

enum { SIZE = 1 << 20 };

int
main (void)
{
  int device = omp_get_default_device (), host = omp_get_initial_device ();
  unsigned char *p = malloc (SIZE), *there = omp_target_alloc (SIZE, device);
  struct offmem_stats stats;

  for (int i = 0; i < SIZE; i++)
    p[i] = i % 251;
  if (omp_target_memcpy (there, p, SIZE, 0, 0, device, host) != 0)
    abort ();
  for (int i = 0; i < SIZE; i++)
    p[i] = 0;
  if (omp_target_memcpy (p, there, SIZE, 0, 0, host, device) != 0)
    abort ();
  for (int i = 0; i < SIZE; i++)
    if (p[i] != i % 251)
      abort ();
  if (offmem_get_stats (&stats, sizeof stats) != 0 || stats.registrations != 1)
    abort ();
  omp_target_free (there, device);
  free (p);
  return 0;
}
