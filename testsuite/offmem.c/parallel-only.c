/* A unit with OpenMP but no target construct: the constructor, since its memory
   may be mapped elsewhere, but no redirected call.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

void
clear (int *x, int n)
{
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[i] = 0;
}

/* { dg-final { scan-assembler "offmem_enable" } } */
/* { dg-final { scan-assembler-not "offmem_GOMP" } } */
/* { dg-final { scan-tree-dump-not {-> offmem_} "offmem" } } */
