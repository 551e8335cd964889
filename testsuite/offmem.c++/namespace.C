// Variables and functions in namespaces, among them one called like ours.
// { dg-do run }

#include <cstdlib>

namespace offmem
{
  static int data[200];

  static void
  enable ()
  {
    #pragma omp target map(tofrom: data)
    for (int i = 0; i < 200; i++)
      data[i] = i;
  }
}

namespace
{
  int data[200];
}

int
main ()
{
  offmem::enable ();
  #pragma omp target map(tofrom: ::data) map(to: offmem::data)
  for (int i = 0; i < 200; i++)
    ::data[i] = 2 * offmem::data[i];

  for (int i = 0; i < 200; i++)
    if (::data[i] != 2 * i)
      abort ();
}
