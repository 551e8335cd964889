// Pinning memory that host and device share anyway makes no sense.
// { dg-do compile { target gcc13_or_later } }

#pragma omp requires unified_shared_memory // { dg-error "'unified_shared_memory' is incompatible with the selected '-foffload-memory' option" }

int x;
