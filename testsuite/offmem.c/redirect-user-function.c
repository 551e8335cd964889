/* Only functions of libgomp are redirected: a user's own with a similar name, and
   one called offmem_thing, are left alone.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

void GOMP_target_ext_mine (int);
void offmem_thing (int);

void
user (int *x)
{
  GOMP_target_ext_mine (1);
  offmem_thing (2);
  #pragma omp target map(tofrom: x[0:1])
  x[0] = 1;
}

/* { dg-final { scan-tree-dump-times { -> } 1 "offmem" } } */
/* { dg-final { scan-assembler-not "offmem_GOMP_target_ext_mine" } } */
/* { dg-final { scan-assembler {[^_]offmem_thing} } } */
