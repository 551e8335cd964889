/* The second unit of two-units.c, mixed-modes.c and stock-unit.c.  */

void
twice (int *x, int n)
{
  #pragma omp target map(tofrom: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}
