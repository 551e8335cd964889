/* With -flto the plugin is loaded again by the link-time optimizer, and redirects
   there: each call once, and there is still one constructor.  */
/* { dg-do link } */
/* { dg-require-effective-target lto } */
/* { dg-additional-options "-O2 -flto -fdump-tree-offmem" } */

int
main (void)
{
  int x = 0;
  #pragma omp target map(tofrom: x)
  x = 1;
  return x == 0;
}

/* { dg-final { scan-tree-dump-times {redirect-lto\.c:11: main: GOMP_target_ext -> offmem_GOMP_target_ext \(x\)} 1 "offmem" } } */
/* { dg-final { scan-tree-dump-times {offmem_enable \(} 1 "offmem" } } */
/* { dg-final { scan-undefined-not {\mGOMP_target_ext} } } */
