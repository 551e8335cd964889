/* Other requirements go well with pinning.  */
/* { dg-do compile } */

#pragma omp requires atomic_default_mem_order(relaxed)

int x;
