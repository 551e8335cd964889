/* "none" changes nothing: the program does not even need the runtime.  */
/* { dg-do link } */
/* { dg-options "-fopenmp -foffload-memory=none" } */

int
main (void)
{
  int x = 0;
  #pragma omp target map(tofrom: x)
  x = 1;
  return x == 0;
}

/* { dg-final { scan-undefined-not "offmem_" } } */
/* { dg-final { scan-dynamic-needed-not "libgomp-offmem" } } */
/* { dg-final { scan-dynamic-needed "libgomp\.so" } } */
