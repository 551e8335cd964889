/* Where the driver cannot page-lock for reading only, what can only be read is
   left alone, until it can be written.  */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */
/* { dg-set-target-env-var SOFTCUDA_RULES "read-only-flag=1" } */

#include <offmem.h>
#include <stdlib.h>
#include <sys/mman.h>

#define N (1 << 18)

static const int weight[N] = { 3, 1, 4, 1, 5, 9, 2, 6 };

static void
expect (unsigned registrations)
{
  struct offmem_stats stats;

  if (offmem_get_stats (&stats, sizeof stats) != 0 || stats.failures != 0
      || stats.registrations != registrations)
    abort ();
}

int
main (void)
{
  int *zeros = (int *) mmap (NULL, N * sizeof (int), PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (zeros == MAP_FAILED)
    abort ();
  for (int round = 0; round < 10; round++)
    {
      int sum = 0;

      #pragma omp target map(to: weight, zeros[0:N]) map(tofrom: sum)
      for (int i = 0; i < N; i++)
        sum += weight[i] + zeros[i];

      if (sum != 31)
        abort ();
      expect (0);
    }

  if (mprotect (zeros, N * sizeof (int), PROT_READ | PROT_WRITE) != 0)
    abort ();
  #pragma omp target map(tofrom: zeros[0:N])
  for (int i = 0; i < N; i++)
    zeros[i]++;
  if (zeros[0] != 1 || zeros[N - 1] != 1)
    abort ();
  expect (1);
  return 0;
}
