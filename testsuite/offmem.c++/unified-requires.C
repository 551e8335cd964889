// "requires unified_shared_memory" is accepted with unified memory.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }

#include <cstdlib>

#pragma omp requires unified_shared_memory

int
main ()
{
  int x = 1;
  #pragma omp target map(tofrom: x)
  x++;
  if (x != 2)
    abort ();
}
