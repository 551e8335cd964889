/* The PTX beside this file: see README.md. */
int
main (void)
{
  enum { n = 5000 };
  float x[n], y[n];
  double sum = 0;
  for (int i = 0; i < n; i++)
    x[i] = i;
  #pragma acc parallel loop gang vector copyin(x) copyout(y)
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
  #pragma acc parallel loop gang worker vector reduction(+: sum) copyin(y)
  for (int i = 0; i < n; i++)
    sum += y[i];
  return sum != 24995000;
}
