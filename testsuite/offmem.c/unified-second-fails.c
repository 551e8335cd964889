/* The driver refuses more managed memory than it has given already.  What is mapped is right,
   wherever it comes from.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-set-target-env-var SOFTCUDA_FAIL "cuMemAllocManaged:2=2,cuMemAllocManaged:3=2" } */
/* { dg-output {ok\n$} } */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8, SIZE = 48 << 20 };

int
main (void)
{
  unsigned char *blocks[BLOCKS];

  for (int b = 0; b < BLOCKS; b++)
    {
      unsigned char *p = blocks[b] = malloc (SIZE);
      int seen = 0;
      p[0] = p[100] = b;
      #pragma omp target map(tofrom: p[0:4096]) map(from: seen)
      {
        seen = p[100];
        p[0]++;
      }
      if (seen != b || p[0] != b + 1)
        abort ();
    }
  for (int b = 0; b < BLOCKS; b++)
    {
      if (blocks[b][0] != b + 1)
        abort ();
      free (blocks[b]);
    }
  puts ("ok");
  return 0;
}
