/* A library with static data that the device works on.  */

#define N 100000

static int table[N];

int
work (int first)
{
  int wrong = 0;

  for (int i = 0; i < N; i++)
    {
      wrong |= table[i] != 0;
      table[i] = first + i;
    }
  #pragma omp target map(tofrom: table)
  for (int i = 0; i < N; i++)
    table[i] *= 2;
  for (int i = 0; i < N; i++)
    wrong |= table[i] != 2 * (first + i);
  return !wrong;
}
