/* OpenACC data on shared memory: clauses, unstructured data and deviceptr copy nothing.  */
/* { dg-do run } */
/* { dg-options "-fopenacc -foffload-memory=unified" } */
/* { dg-copied-bytes 4096 } */

#include "unified.h"

enum { N = 6000 };

int
main (void)
{
  float *a = malloc (N * sizeof *a), *b = calloc (N, sizeof *b);
  float sum = 0;

  for (int i = 0; i < N; i++)
    a[i] = i % 10;
  #pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N]) reduction(+: sum)
  for (int i = 0; i < N; i++)
    {
      b[i] = 2 * a[i];
      sum += a[i];
    }
  if (sum != 4.5f * N || b[9] != 18)
    abort ();
  expect_shared (a, N * sizeof *a);
  #pragma acc data copy(a[0:N]) create(b[0:N])
  {
    a[0] = 100;
    #pragma acc parallel loop present(a[0:N], b[0:N])
    for (int i = 0; i < N; i++)
      b[i] = a[i] + 1;
    if (b[0] != 101 || b[9] != 10)
      abort ();
    a[1] = -1;
  }
  if (a[1] != -1)
    abort ();
  #pragma acc enter data copyin(a[0:N / 2]) create(b[0:N])
  #pragma acc parallel loop deviceptr(a, b)
  for (int i = 0; i < N; i++)
    a[i] = b[i];
  #pragma acc kernels loop present(b[0:N])
  for (int i = 0; i < N; i++)
    b[i] += 1;
  #pragma acc exit data delete(a[0:N / 2]) copyout(b[0:N]) finalize
  for (int i = 0; i < N; i++)
    if (b[i] != a[i] + 1 || a[i] != (i ? i == 1 ? 2 : i % 10 + 1 : 101))
      abort ();
  #pragma acc host_data use_device(a) if_present
  sum = a[9];
  if (sum != 10)
    abort ();
  free (a);
  free (b);
  return 0;
}
