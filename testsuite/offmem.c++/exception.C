// Exceptions pass through functions with target regions and through regions of
// "target data" memory; destructors run, and offloading works afterwards.
// { dg-do run }

#include <cstdlib>
#include <stdexcept>
#include <vector>

static int destroyed;

struct Guard
{
  ~Guard () { destroyed++; }
};

static void
increment_then_throw (std::vector<int> &v, int round)
{
  Guard guard;
  int *p = v.data (), n = v.size ();
  #pragma omp target map(tofrom: p[0:n])
  for (int i = 0; i < n; i++)
    p[i] += 1;
  if (round % 2)
    throw std::runtime_error ("odd");
}

int
main ()
{
  std::vector<int> v (500);
  int caught = 0;

  for (int round = 0; round < 10; round++)
    try
      {
        increment_then_throw (v, round);
      }
    catch (const std::runtime_error &)
      {
        caught++;
      }

  if (caught != 5 || destroyed != 10)
    abort ();
  for (int x : v)
    if (x != 10)
      abort ();
}
