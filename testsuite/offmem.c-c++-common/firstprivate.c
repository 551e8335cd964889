/* Scalars, structures and arrays as firstprivate: the device changes its own
   copies, the host's stay.  */
/* { dg-do run } */

#include <stdlib.h>

struct pair
{
  int a;
  double b;
};

int
main (void)
{
  int scalar = 5, result = 0;
  struct pair pair = { 6, 7.0 };
  int array[16] = { 1, 2, 3 };

  #pragma omp target firstprivate(scalar, pair, array) map(tofrom: result)
  {
    scalar += 1;
    pair.a += 1;
    pair.b += 1.0;
    array[0] += 1;
    result = scalar * 1000 + pair.a * 100 + (int) pair.b * 10 + array[0];
  }

  if (result != 6782 || scalar != 5 || pair.a != 6 || pair.b != 7.0 || array[0] != 1)
    abort ();
  return 0;
}
