// A function template with target regions: every instance is redirected.
// { dg-do run }

#include <cstdlib>

template <typename T>
T
sum (const T *x, int n)
{
  T total = T ();
  #pragma omp target map(to: x[0:n]) map(tofrom: total)
  for (int i = 0; i < n; i++)
    total += x[i];
  return total;
}

template <typename T>
static bool
check ()
{
  T x[100];
  for (int i = 0; i < 100; i++)
    x[i] = i;
  return sum (x, 100) == T (4950);
}

int
main ()
{
  if (!check<short> () || !check<long> () || !check<float> () || !check<double> ())
    abort ();
}
