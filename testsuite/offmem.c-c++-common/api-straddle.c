/* Memory that offmem_pin was called for stays page-locked when a copy lies
   across its edge.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
/* { dg-set-target-env-var OFFMEM "mandatory" } */

#include <offmem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 1 << 20 };

int
main (void)
{
  char *p = (char *) mmap (NULL, N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *q = p + N / 4;

  memset (p, 1, N);
  if (offmem_pin (p, N / 2) != 0)
    abort ();
  #pragma omp target map(tofrom: q[0:N / 2])
  q[N / 2 - 1] = q[0] + 1;
  if (q[N / 2 - 1] != 2 || !offmem_is_pinned (p, N / 2))
    abort ();
  if (offmem_unpin (p, N / 2) != 0 || offmem_is_pinned (p, N / 2))
    abort ();
  return 0;
}
