/* The copying functions of the API are redirected too; those that touch no host
   memory are not.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

#include <omp.h>
#include <stddef.h>

void
copy (void *to, void *from, size_t n, const size_t *volume, const size_t *zero)
{
  void *d = omp_target_alloc (n, 0);
  omp_target_memcpy (d, from, n, 0, 0, 0, omp_get_initial_device ());
  omp_target_memcpy_rect (to, d, 1, 2, volume, zero, zero, volume, volume,
                          omp_get_initial_device (), 0);
  omp_target_free (d, 0);
  /* A construct, so that this is a unit with OpenMP.  */
  #pragma omp target
  ;
}

/* { dg-final { scan-tree-dump {:13: copy: omp_target_memcpy -> offmem_omp_target_memcpy} "offmem" } } */
/* { dg-final { scan-tree-dump {:14: copy: omp_target_memcpy_rect -> offmem_omp_target_memcpy_rect} "offmem" } } */
/* { dg-final { scan-tree-dump-not {omp_target_(?:alloc|free) ->} "offmem" } } */
