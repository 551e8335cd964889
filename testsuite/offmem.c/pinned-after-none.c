/* The last option wins: with "pinned" the call is redirected and the unit has
   its constructor.  */
/* { dg-do compile } */
/* { dg-options "-fopenmp -foffload-memory=none -foffload-memory=pinned" } */

void
twice (int *x, int n)
{
  #pragma omp target map(tofrom: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}

/* { dg-final { scan-assembler "offmem_GOMP_target_ext" } } */
/* { dg-final { scan-assembler "offmem_enable" } } */
