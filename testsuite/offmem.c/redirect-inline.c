/* A region in an inline function that is inlined twice is two calls.  */
/* { dg-do compile } */
/* { dg-additional-options "-O2 -fdump-tree-offmem" } */

static inline __attribute__ ((always_inline)) void
clear (int *x, int n)
{
  #pragma omp target map(from: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] = 0;
}

void
both (int *x, int *y, int n)
{
  clear (x, n);
  clear (y, n);
}

/* { dg-final { scan-tree-dump-times {redirect-inline\.c:8: [^\n]*GOMP_target_ext -> offmem_GOMP_target_ext} 2 "offmem" } } */
/* { dg-final { scan-assembler-not {[^_]GOMP_target_ext} } } */
