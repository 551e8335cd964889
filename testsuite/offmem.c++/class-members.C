// Maps inside member functions: the members are reached through this.
// { dg-do run }
// { dg-skip-if "GCC 11 maps no members without this->" { ! gcc12_or_later } }

#include <cstdlib>

class Field
{
public:
  Field (int n) : n (n), data (new double[n])
  {
    for (int i = 0; i < n; i++)
      data[i] = i;
  }
  ~Field () { delete[] data; }

  void scale (double factor)
  {
    #pragma omp target map(tofrom: data[0:n])
    for (int i = 0; i < n; i++)
      data[i] *= factor;
  }

  double operator[] (int i) const { return data[i]; }

private:
  int n;
  double *data;
};

int
main ()
{
  Field field (2500);
  field.scale (2.0);
  field.scale (1.5);
  for (int i = 0; i < 2500; i++)
    if (field[i] != 3.0 * i)
      abort ();
}
