/* "target data" has a beginning and an end; both are redirected.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

void run (void);

void
keep (int *x, int n)
{
  #pragma omp target data map(tofrom: x[0:n])
  run ();
}

/* { dg-final { scan-tree-dump {redirect-data\.c:10: keep: GOMP_target_data_ext -> offmem_GOMP_target_data_ext \(x} "offmem" } } */
/* { dg-final { scan-tree-dump {keep: GOMP_target_end_data -> offmem_GOMP_target_end_data} "offmem" } } */
