/* offmem_pin ends with the memory: what is mapped there next is not page-locked,
   and the device reads what it holds.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */

#include <offmem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 1 << 20 };

int
main (void)
{
  int sum = 0;
  char *p = (char *) mmap (NULL, N, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    abort ();
  memset (p, 1, N);
  if (offmem_pin (p, N) != 0 || !offmem_is_pinned (p, N))
    abort ();
  if (munmap (p, N) != 0)
    abort ();
  char *q = (char *) mmap (p, N, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (q != p)
    abort ();
  if (offmem_is_pinned (q, N))
    abort ();
  memset (q, 2, N);

  #pragma omp target map(to: q[0:N]) map(tofrom: sum)
  for (int i = 0; i < N; i++)
    sum += q[i];
  if (sum != 2 * N)
    abort ();
  return 0;
}
