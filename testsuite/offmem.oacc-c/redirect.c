/* Every construct that handles memory is redirected, the variables named.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

void
work (int *x, int n)
{
  #pragma acc enter data copyin(x[0:n])
  #pragma acc data copy(x[0:n])
  {
    #pragma acc parallel loop copy(x[0:n])
    for (int i = 0; i < n; i++)
      x[i] += 1;
    #pragma acc update self(x[0:n])
  }
  #pragma acc exit data copyout(x[0:n])
}

/* { dg-final { scan-tree-dump {redirect\.c:8: work: GOACC_enter_data -> offmem_GOACC_enter_data \(x} "offmem" { target gcc12_or_later } } } */
/* { dg-final { scan-tree-dump {redirect\.c:9: work: GOACC_data_start -> offmem_GOACC_data_start \(x} "offmem" } } */
/* { dg-final { scan-tree-dump {redirect\.c:11: work: GOACC_parallel_keyed -> offmem_GOACC_parallel_keyed \(x} "offmem" } } */
/* { dg-final { scan-tree-dump {redirect\.c:14: work: GOACC_update -> offmem_GOACC_update \(x} "offmem" } } */
/* { dg-final { scan-tree-dump {work: GOACC_data_end -> offmem_GOACC_data_end} "offmem" } } */
/* { dg-final { scan-tree-dump {redirect\.c:16: work: GOACC_exit_data -> offmem_GOACC_exit_data \(x} "offmem" { target gcc12_or_later } } } */
