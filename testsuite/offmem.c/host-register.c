/* A library of the program's own that registers memory with the driver by the
   driver's function: it is called, beside our own use of it.  */
/* { dg-do run { target offload_device } } */

#include <stdlib.h>
#include <sys/mman.h>

#define N 1000000

int cuMemHostRegister_v2 (void *, size_t, unsigned);
int cuMemHostUnregister (void *);
int cudaHostRegister (void *, size_t, unsigned);

int
main (void)
{
  size_t size = N * sizeof (int);
  int *x = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  /* Nobody has loaded the driver.  */
  if (cuMemHostRegister_v2 (x, size, 0) != 3)
    abort ();
  for (int round = 0; round < 3; round++)
    {
      #pragma omp target map(tofrom: x[0:N])
      for (int i = 0; i < N; i++)
	x[i] += i;
      if (cuMemHostRegister_v2 (x, size, 0) != 0 || cuMemHostRegister_v2 (x, size, 0) != 712)
	abort ();
      #pragma omp target map(tofrom: x[0:N])
      for (int i = 0; i < N; i++)
	x[i] += i;
      if (cuMemHostUnregister (x) != 0 || cuMemHostUnregister (x) != 713)
	abort ();
    }
  for (int i = 0; i < N; i++)
    if (x[i] != 6 * i)
      abort ();
  /* There is no such library.  */
  return cudaHostRegister (x, size, 0) != 3;
}
