/* A "declare" in a function is a call at its beginning and its end.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

void use (int *);

void
work (void)
{
  int x[100];
  #pragma acc declare copy(x)
  use (x);
}

/* { dg-final { scan-tree-dump {work: GOACC_declare -> offmem_GOACC_declare \(x} "offmem" } } */
/* { dg-final { scan-assembler-not {[^_]GOACC_declare} } } */
