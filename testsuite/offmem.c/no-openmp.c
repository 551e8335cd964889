/* A unit without OpenMP constructs gets nothing, -fopenmp or not.  */
/* { dg-do compile } */

#include <stdlib.h>

int *
make (int n)
{
  return malloc (n * sizeof (int));
}

/* { dg-final { scan-assembler-not "offmem_" } } */
