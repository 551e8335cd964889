/* Where the GPU reads pageable memory through the host's page tables, nothing
   is registered, and nothing is said: the program lacks nothing.  */
/* { dg-do run { target offload_device } } */
/* { dg-set-target-env-var SOFTCUDA_HOST_PAGE_TABLES "1" } */
/* { dg-set-target-env-var OFFMEM "mandatory" } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */
/* { dg-output {^ok\n$} } */

#include <offmem.h>
#include <stdio.h>
#include <stdlib.h>

int
main (void)
{
  enum { N = 1 << 20 };
  char *x = calloc (N, 1);
  struct offmem_stats stats;

  #pragma omp target map(tofrom: x[0:N])
  x[5] = 3;
  if (x[5] != 3 || offmem_get_stats (&stats, sizeof stats) != 0 || stats.registrations != 0)
    abort ();
  free (x);
  puts ("ok");
  return 0;
}
