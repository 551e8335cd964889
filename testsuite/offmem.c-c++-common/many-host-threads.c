/* Sixteen host threads offload blocks of their own and one that all read, with room
   for the registration of a few of them only.  */
/* { dg-do run } */
/* { dg-set-target-env-var OFFMEM_POLICY "eager" } */
/* { dg-set-target-env-var OFFMEM_LIMIT "2M" } */

#include <stdlib.h>
#include <string.h>

#define THREADS 16
#define ROUNDS 6
#define N (256 << 10)

int
main (void)
{
  int errors = 0;
  unsigned char *common = (unsigned char *) malloc (N);
  memset (common, 9, N);

  #pragma omp parallel for num_threads(THREADS) schedule(static, 1) reduction(+: errors)
  for (int t = 0; t < THREADS; t++)
    for (int round = 0; round < ROUNDS; round++)
      {
        size_t n = N + 4096 * (t + round);
        unsigned char *x = (unsigned char *) malloc (n);
        memset (x, 16 * t + round, n);

        #pragma omp target map(tofrom: x[0:n]) map(to: common[0:N])
        for (int i = 0; i < N; i += 8192)
          x[i] += common[i];

        for (size_t i = 0; i < n; i++)
          errors += x[i] != (unsigned char) (16 * t + round + (i < N && i % 8192 == 0 ? 9 : 0));
        free (x);
      }

  free (common);
  if (errors)
    abort ();
  return 0;
}
