/* The last option wins: with "none" there is no redirected call and no symbol
   of ours.  */
/* { dg-do compile } */
/* { dg-options "-fopenmp -foffload-memory=pinned -foffload-memory=none" } */

void
twice (int *x, int n)
{
  #pragma omp target map(tofrom: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}

/* { dg-final { scan-assembler-not "offmem_" } } */
/* { dg-final { scan-assembler "GOMP_target_ext" } } */
