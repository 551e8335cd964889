/* With -flto allocations are redirected by the link-time optimizer, each once.  */
/* { dg-do link } */
/* { dg-require-effective-target lto } */
/* { dg-options "-O2 -fopenmp -flto -foffload-memory=unified -fdump-tree-offmem" } */
/* { dg-unit "aux/plain-allocators.c" "-foffload-memory=none -fno-lto" } */

#include <stdlib.h>

void *volatile kept;

int
main (void)
{
  kept = malloc (10);
  free (kept);
  return 0;
}

/* { dg-final { scan-tree-dump-times {unified-lto\.c:14: main: malloc -> offmem_malloc\n} 1 "offmem" } } */
/* { dg-final { scan-tree-dump-times {:15: main: free -> offmem_free\n} 1 "offmem" } } */
/* { dg-final { scan-tree-dump-times {offmem_enable \(} 1 "offmem" } } */
