// Pinning memory that host and device share anyway makes no sense.  A unit that never offloads
// asks for nothing.
// { dg-do compile { target gcc13_or_later } }

#pragma omp requires unified_shared_memory

void
increment (int *x)
{
  #pragma omp target map(x[0:1]) // { dg-error "'unified_shared_memory' is incompatible with the selected '-foffload-memory' option" }
  x[0]++;
}
