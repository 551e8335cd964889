/* A library with a constant that the device reads.  */

#define N (1 << 18)

const int table[N] = { 3, 1, 4, 1, 5, 9, 2, 6 };

int
work (void)
{
  int sum = 0;

  #pragma omp target map(to: table) map(tofrom: sum)
  for (int i = 0; i < N; i++)
    sum += table[i];
  return sum == 31;
}
