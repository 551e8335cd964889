// Objects with virtual functions on the host, whose data the device uses through this, a
// reference, a function object and a template.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 4096 }

#include <vector>
#include <stdlib.h>

template<typename T>
class Buffer
{
  T *data;
  int n;
public:
  explicit Buffer (int count) : data (new T[count] ()), n (count) { }
  Buffer (const Buffer &) = delete;
  virtual ~Buffer () { delete[] data; }
  virtual int size () const { return n; }
  void fill (T value)
  {
    #pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
      data[i] = value + i;
  }
  T *begin () { return data; }
  T &operator[] (int i) { return data[i]; }
};

struct Twice
{
  const double *from;
  int *to;
  void operator() (int i) const { to[i] = (int) (2 * from[i]); }
};

template<typename F>
static void
on_device (int n, F f)
{
  #pragma omp target map(to: f)
  for (int i = 0; i < n; i++)
    f (i);
}

int
main ()
{
  enum { N = 700 };
  Buffer<double> *d = new Buffer<double> (N);
  Buffer<short> *s = new Buffer<short> (N);
  std::vector<int> v (N);

  d->fill (0.5);
  s->fill (3);
  short &last = (*s)[N - 1];
  on_device (N, Twice { d->begin (), v.data () });
  #pragma omp target map(tofrom: last)
  last = -1;
  for (int i = 0; i < N; i++)
    if ((*d)[i] != i + 0.5 || (*s)[i] != (i < N - 1 ? i + 3 : -1) || v[i] != 2 * i + 1)
      abort ();
  if (d->size () != N)
    abort ();
  delete d;
  delete s;
}
