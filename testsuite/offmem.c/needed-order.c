/* The runtime is the first library of the program, before libgomp and libc, so
   that its entry points and its malloc are found first.  */
/* { dg-do link } */

int
main (void)
{
  int x = 0;
  #pragma omp target map(tofrom: x)
  x = 1;
  return x == 0;
}

/* { dg-final { scan-dynamic-needed {^libgomp-offmem\.so\.1} } } */
/* { dg-final { scan-dynamic-needed {libgomp\.so\.1} } } */
/* { dg-final { scan-undefined "offmem_enable" } } */
/* { dg-final { scan-undefined "offmem_GOMP_target_ext" } } */
