// A class that puts its data on the device for as long as an object lives.
// { dg-do run }

#include <cstdlib>

struct Buffer
{
  int n;
  int *data;

  explicit Buffer (int n) : n (n), data (new int[n] ())
  {
    int *p = data;
    #pragma omp target enter data map(to: p[0:n])
  }
  ~Buffer ()
  {
    int *p = data;
    #pragma omp target exit data map(release: p[0:n])
    delete[] p;
  }
  void add (int value)
  {
    int *p = data, count = n;
    #pragma omp target map(alloc: p[0:count])
    for (int i = 0; i < count; i++)
      p[i] += value;
  }
  void fetch ()
  {
    int *p = data;
    #pragma omp target update from(p[0:n])
  }
};

int
main ()
{
  for (int round = 0; round < 5; round++)
    {
      Buffer a (1000), b (100 * (round + 1));
      a.add (1);
      b.add (2);
      a.add (3);
      a.fetch ();
      b.fetch ();
      for (int i = 0; i < a.n; i++)
        if (a.data[i] != 4)
          abort ();
      for (int i = 0; i < b.n; i++)
        if (b.data[i] != 2)
          abort ();
    }
}
