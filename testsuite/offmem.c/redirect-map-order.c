/* The names in the dump stand in the order of the map array, which GCC fills from
   the first clause or from the last; n is in it as a firstprivate.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

void
add (int *a, int *b, int *c, int n)
{
  #pragma omp target map(to: a[0:n], b[0:n]) map(from: c[0:n])
  for (int i = 0; i < n; i++)
    c[i] = a[i] + b[i];
}

/* { dg-final { scan-tree-dump {add: GOMP_target_ext -> offmem_GOMP_target_ext \((?:n, )?(?:a, b, c|c, b, a)(?:, n)?\)} "offmem" } } */
