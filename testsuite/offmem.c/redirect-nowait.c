/* A region inside a task or parallel construct is reported under the name of the
   user's function, not of the one that GCC makes of it.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

void
pipeline (int *x, int n)
{
  #pragma omp parallel
  #pragma omp single
  {
    #pragma omp target nowait depend(out: x[0]) map(tofrom: x[0:n])
    x[0] = 1;
    #pragma omp task depend(in: x[0])
    {
      #pragma omp target map(tofrom: x[0:n])
      x[0]++;
    }
  }
}

/* { dg-final { scan-tree-dump {:12: pipeline: GOMP_target_ext ->} "offmem" } } */
/* { dg-final { scan-tree-dump {:16: pipeline: GOMP_target_ext ->} "offmem" } } */
