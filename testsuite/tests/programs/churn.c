/* churn [ROUNDS]

   Blocks of many sizes come, are mapped, and go, in two threads; each is filled
   with bytes of its own, so that a copy from the memory of an earlier one shows.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 6 };

static size_t
size_of (unsigned number)
{
  return (size_t) 40000 << number * 7 % 6;
}

static int
work (int thread, unsigned rounds)
{
  unsigned char *slot[SLOTS] = { 0 };
  int errors = 0;

  for (unsigned round = 0; round < rounds; round++)
    {
      unsigned char **x = &slot[round * 5 % SLOTS];
      size_t size = size_of (round);
      unsigned char byte = round + 100 * thread, *block;

      *x = block = round % 3 ? realloc (*x, size) : (free (*x), calloc (size, 1));
      memset (block, byte, size);
      for (int again = 0; again < 2; again++)
        {
          #pragma omp target map(tofrom: block[0:size])
          for (size_t i = 0; i < size; i += 9973)
            block[i] += 1;
        }
      for (size_t i = 0; i < size; i++)
        errors += block[i] != (unsigned char) (byte + (i % 9973 ? 0 : 2));
    }
  for (int i = 0; i < SLOTS; i++)
    free (slot[i]);
  return errors;
}

int
main (int argc, char **argv)
{
  unsigned rounds = argc > 1 ? atoi (argv[1]) : 150;
  int errors = 0;

  #pragma omp parallel for num_threads(2) reduction(+: errors)
  for (int thread = 0; thread < 2; thread++)
    errors += work (thread, rounds);
  printf ("%d errors\n", errors);
  return errors != 0;
}
