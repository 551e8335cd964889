/* A unit without constructs and without allocations gets nothing.  */
/* { dg-do compile } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */

#include <stdio.h>

void *allocate (unsigned long);

int
main (void)
{
  puts ("nothing");
  return allocate (3) == 0;
}

/* { dg-final { scan-assembler-not "offmem_" } } */
