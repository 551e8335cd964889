/* Memory that the device has read becomes writable.  What is written then must
   come to the device, and what the device writes must come back.  */

#include <stdlib.h>
#include <sys/mman.h>

enum { N = 1 << 20 };

int
main (void)
{
  unsigned char *x = mmap (NULL, N, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned sum = 1;

  if (x == MAP_FAILED)
    abort ();
  #pragma omp target map(to: x[0:N]) map(from: sum)
  sum = x[0] + x[N - 1];
  if (sum != 0 || mprotect (x, N, PROT_READ | PROT_WRITE) != 0)
    abort ();

  x[0] = x[N - 1] = 3;
  #pragma omp target map(to: x[0:N]) map(from: sum)
  sum = x[0] + x[N - 1];
  if (sum != 6)
    return 1;

  #pragma omp target map(tofrom: x[0:N])
  x[N - 1] += x[0];
  return x[N - 1] != 6;
}
