/* Calls of an allocator that the unit defines itself are left alone.  */
/* { dg-do compile } */
/* { dg-options "-fopenmp -foffload-memory=unified -fno-builtin -fdump-tree-offmem" } */

#include <stddef.h>

static char arena[1 << 20];
static size_t used;

void free (void *p);
void *calloc (size_t n, size_t size);

__attribute__ ((noinline)) void *
malloc (size_t size)
{
  void *p = arena + used;
  used += size;
  return p;
}

void
user (int *x)
{
  int *y = malloc (4);
  #pragma omp target map(tofrom: x[0:1]) map(to: y[0:1])
  x[0] = y[0];
  free (y);
  free (calloc (3, 3));
}

/* { dg-final { scan-tree-dump-not {malloc ->} "offmem" } } */
/* { dg-final { scan-tree-dump-times {free ->} 2 "offmem" } } */
/* { dg-final { scan-tree-dump-times {calloc ->} 1 "offmem" } } */
