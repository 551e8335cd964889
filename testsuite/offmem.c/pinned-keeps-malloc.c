/* In pinned mode allocations are not redirected: any memory can be pinned.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

#include <stdlib.h>

int *
make (int n)
{
  int *x = malloc (n * sizeof *x);
  #pragma omp target map(from: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] = i;
  return x;
}

/* { dg-final { scan-tree-dump-not {malloc ->} "offmem" } } */
/* { dg-final { scan-assembler-not "offmem_malloc" } } */
