/* "target update" names what it moves.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

int table[100];

void
refresh (int *x, int n)
{
  #pragma omp target update to(x[0:n])
  #pragma omp target update from(table)
}

/* { dg-final { scan-tree-dump {redirect-update\.c:10: refresh: GOMP_target_update_ext -> offmem_GOMP_target_update_ext \(x} "offmem" } } */
/* { dg-final { scan-tree-dump {redirect-update\.c:11: refresh: GOMP_target_update_ext -> offmem_GOMP_target_update_ext \(table} "offmem" } } */
