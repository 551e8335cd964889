// A region inside a lambda, on memory that the lambda captured by reference and
// by value.
// { dg-do run }
// { dg-skip-if "GCC 11, stock too, leaves what a lambda captured on the host" { ! gcc12_or_later } }

#include <cstdlib>

int
main ()
{
  int n = 1000;
  int *x = new int[n] ();
  int calls = 0;

  auto add = [x, n, &calls] (int value)
    {
      int *p = x;
      #pragma omp target map(tofrom: p[0:n])
      for (int i = 0; i < n; i++)
        p[i] += value;
      calls++;
    };
  add (5);
  add (6);

  if (calls != 2)
    abort ();
  for (int i = 0; i < n; i++)
    if (x[i] != 11)
      abort ();
  delete[] x;
}
