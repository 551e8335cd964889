/* The option without -fopenmp: pragmas are ignored and nothing is added.  */
/* { dg-do compile } */
/* { dg-options "-O2" } */

void
twice (int *x, int n)
{
  #pragma omp target map(tofrom: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}

/* { dg-final { scan-assembler-not "offmem_" } } */
