/* Without pinning, unified_shared_memory is as welcome as ever.  */
/* { dg-do compile { target gcc13_or_later } } */
/* { dg-options "-fopenmp -foffload-memory=none" } */

#pragma omp requires unified_shared_memory

int x;
