/* "enter data" and "exit data" call the same function.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

void
in (int *x, int n)
{
  #pragma omp target enter data map(to: x[0:n])
}

void
out (int *x, int n)
{
  #pragma omp target exit data map(from: x[0:n])
}

/* { dg-final { scan-tree-dump {:8: in: GOMP_target_enter_exit_data -> offmem_GOMP_target_enter_exit_data \(x} "offmem" } } */
/* { dg-final { scan-tree-dump {:14: out: GOMP_target_enter_exit_data -> offmem_GOMP_target_enter_exit_data \(x} "offmem" } } */
