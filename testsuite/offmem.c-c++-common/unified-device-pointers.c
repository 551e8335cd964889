/* Device pointers of shared memory are the pointers themselves.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include <omp.h>
#include "unified.h"

enum { N = 3000 };

int
main (void)
{
  int device = omp_get_default_device ();
  double *a = (double *) malloc (N * sizeof *a), *all = a;
  double *own = (double *) omp_target_alloc (N * sizeof *own, device);
  double sum = 0;
  void *there = NULL;

  for (int i = 0; i < N; i++)
    a[i] = i;
  #pragma omp target is_device_ptr(a) map(from: there)
  {
    there = a;
    for (int i = 0; i < N; i++)
      a[i] += 1;
  }
  if (there != a || a[0] != 1 || a[N - 1] != (double) N)
    abort ();

  #pragma omp target data map(tofrom: a[0:N])
  {
    #pragma omp target data use_device_ptr(a)
    if (a != all)
      abort ();
  }
  /* Without a mapping of its own, too.  */
  #pragma omp target data use_device_ptr(a)
  {
    if (a != all)
      abort ();
    #pragma omp target is_device_ptr(a)
    a[1] = -2;
  }
  if (a[1] != -2 || !omp_target_is_present (a + 5, device))
    abort ();

  /* The device's own memory stays what it was.  */
  #pragma omp target is_device_ptr(own)
  for (int i = 0; i < N; i++)
    own[i] = a[i];
  #pragma omp target is_device_ptr(own) map(tofrom: sum)
  for (int i = 0; i < N; i++)
    sum += own[i];
  if (sum != N * (N + 1) / 2.0 - 4)
    abort ();
  omp_target_free (own, device);
  free (a);
  return 0;
}
