// The elements of a std::vector through its data (), while it grows.
// { dg-do run }

#include <cstdlib>
#include <vector>

int
main ()
{
  std::vector<int> v;
  for (int round = 1; round <= 8; round++)
    {
      v.resize (v.size () + 1000, round);
      int *p = v.data ();
      int n = v.size ();
      #pragma omp target map(tofrom: p[0:n])
      for (int i = 0; i < n; i++)
        p[i] += 10;
    }

  for (int i = 0; i < 8000; i++)
    if (v[i] != i / 1000 + 1 + 10 * (8 - i / 1000))
      abort ();
}
