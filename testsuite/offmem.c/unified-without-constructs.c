/* A unit that only allocates, compiled without -fopenmp, has its calls redirected
   and announces itself, once: the constructs are in other units.  */
/* { dg-do assemble } */
/* { dg-options "-O2 -foffload-memory=unified" } */

#include <stdlib.h>

double *
make (int n)
{
  return malloc (n * sizeof (double));
}

void
drop (double *p)
{
  free (p);
}

/* { dg-final { scan-undefined {\moffmem_malloc\M} } } */
/* { dg-final { scan-undefined {\moffmem_free\M} } } */
/* { dg-final { scan-undefined {\moffmem_enable\M} } } */
/* { dg-final { scan-undefined-not {(?:^|\n)(?:malloc|free)\n} } } */
