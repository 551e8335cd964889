// In the dump each instance of a template has its own line, and a member
// function is named.
// { dg-do compile }
// { dg-additional-options "-fdump-tree-offmem" }

template <typename T>
void
scale (T *x, int n)
{
  #pragma omp target map(tofrom: x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}

struct Field
{
  int n;
  double *data;
  void clear ();
};

void
Field::clear ()
{
  #pragma omp target map(from: data[0:n])
  for (int i = 0; i < n; i++)
    data[i] = 0.0;
}

void
user (float *f, double *d, int n)
{
  scale (f, n);
  scale (d, n);
}

// { dg-final { scan-tree-dump-times {scale[^\n]*: GOMP_target_ext -> offmem_GOMP_target_ext} 2 "offmem" } }
// { dg-final { scan-tree-dump-times {clear[^\n]*: GOMP_target_ext -> offmem_GOMP_target_ext} 1 "offmem" } }
// { dg-skip-if "GCC 11 maps no members without this->" { ! gcc12_or_later } }
