// References are mapped as what they refer to.
// { dg-do run }

#include <cstdlib>

static void
fill (int (&array)[400], long &sum)
{
  #pragma omp target map(from: array) map(tofrom: sum)
  for (int i = 0; i < 400; i++)
    {
      array[i] = i;
      sum += i;
    }
}

int
main ()
{
  int array[400];
  long sum = 1;

  fill (array, sum);
  if (sum != 79801)
    abort ();
  for (int i = 0; i < 400; i++)
    if (array[i] != i)
      abort ();
}
