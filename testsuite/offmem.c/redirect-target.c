/* One line for a target region: file, line, function, and the variables in the
   order of the map array.  */
/* { dg-do compile } */
/* { dg-additional-options "-fdump-tree-offmem" } */

struct vector
{
  int n;
  double *p;
};

void
axpy (double a, struct vector *s, int n)
{
  #pragma omp target map(tofrom: s->p[0:n]) firstprivate(a)
  for (int i = 0; i < n; i++)
    s->p[i] += a;
}

/* { dg-final { scan-tree-dump {redirect-target\.c:15: axpy: GOMP_target_ext -> offmem_GOMP_target_ext \([^\n]*s->p[^\n]*\)} "offmem" } } */
/* { dg-final { scan-tree-dump-times {->[^\n]*offmem_} 1 "offmem" } } */
/* { dg-final { scan-assembler-times "offmem_enable" 1 } } */
/* { dg-skip-if "GCC 11 maps no members that a pointer leads to" { ! gcc12_or_later } } */
