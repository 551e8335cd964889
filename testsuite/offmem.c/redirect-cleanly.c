/* Options that change how functions and data are laid out do not disturb.  */
/* { dg-do assemble } */
/* { dg-additional-options "-g -fno-toplevel-reorder -ffunction-sections -fdata-sections -fvisibility=hidden -fPIC" } */

void
twice (int *x, int n)
{
  #pragma omp target map(tofrom: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}

/* { dg-final { scan-undefined "offmem_GOMP_target_ext" } } */
/* { dg-final { scan-undefined-not {\mGOMP_target_ext} } } */
