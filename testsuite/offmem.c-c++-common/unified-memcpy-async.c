/* Copies as tasks.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 40000 } */
/* { dg-require-effective-target gcc13_or_later } */

#include <omp.h>
#include <string.h>
#include "unified.h"

enum { N = 9000 };

int
main (void)
{
  int device = omp_get_default_device (), host = omp_get_initial_device ();
  char *a = (char *) malloc (N), *b = (char *) calloc (N, 1);
  char *own = (char *) omp_target_alloc (N, device);
  size_t volume[2] = { 10, 20 }, origin[2] = { 0, 0 }, all[2] = { 90, 100 };
  omp_depend_t order;

  #pragma omp depobj(order) depend(inout: a)
  memset (a, 5, N);
  if (omp_target_memcpy_async (a, a, N, 0, 0, device, host, 1, &order) != 0
      || omp_target_memcpy_async (own, a, N, 0, 0, device, host, 1, &order) != 0
      || omp_target_memcpy_async (b, own, N, 0, 0, host, device, 1, &order) != 0)
    abort ();
  #pragma omp taskwait
  int wrong = memcmp (a, b, N) != 0;
  #pragma omp target is_device_ptr(own) map(tofrom: wrong)
  for (int i = 0; i < N; i++)
    wrong += own[i] != 5;
  if (wrong != 0)
    abort ();
  memset (b, 0, N);
  if (omp_target_memcpy_rect_async (b, a, 1, 2, volume, origin, origin, all, all, device, host,
                                    1, &order) != 0)
    abort ();
  #pragma omp taskwait
  for (int i = 0; i < N; i++)
    if (b[i] != (i / 100 < 10 && i % 100 < 20 ? 5 : 0))
      abort ();
  #pragma omp depobj(order) destroy
  omp_target_free (own, device);
  free (a);
  free (b);
  return 0;
}
