/* The PTX beside this file: see README.md. */
#include <math.h>
#include <stdlib.h>

struct pair { int numbers[5]; double factor; };

#pragma omp declare target
int table[4] = { 1, 2, 3, 4 };
const char *names[] = { "zero", "one" };
static int (*chosen) (int);
static int add_one (int x) { return x + 1; }
static struct pair grow (struct pair p) { p.numbers[1] += 2; p.factor *= 0.5; return p; }
_Complex double square (_Complex double z) { return z * z; }
#pragma omp end declare target

int
main (void)
{
  int n = 1000, count = 0, most = 0;
  double sum = 0;
  float *x = calloc (n, sizeof *x);
  signed char small = 3;
  struct pair p = { { 0 }, 4 };

  #pragma omp target map(tofrom: p, small, sum)
  {
    chosen = n > table[1] ? add_one : 0;
    p = grow (p);
    small *= chosen (2);
    sum += __real__ square (p.factor) + __builtin_popcount (n);
    int *heap = malloc (n * sizeof *heap);
    for (int i = 0; i < n; i++)
      heap[i] = i / (small | 1);
    sum += heap[n - 1];
    free (heap);
    __builtin_printf ("%s %d %g\n", names[1], small, sum);
  }

  #pragma omp target teams distribute parallel for simd \
    reduction(+: sum) reduction(max: most) map(tofrom: x[:n])
  for (int i = 0; i < n; i++)
    {
      x[i] += sqrtf (i) * 2;
      sum += x[i];
      if (i % 7 > most)
        most = i % 7;
    }

  #pragma omp target parallel num_threads(8) map(tofrom: count)
  {
    #pragma omp atomic
    count++;
    #pragma omp barrier
    #pragma omp critical
    count += 2;
  }
  return !(count == 24 && most == 6);
}
