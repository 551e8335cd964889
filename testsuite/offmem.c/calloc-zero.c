/* Memory from calloc is zero even where it comes back from a block that was
   pinned, used and freed before.  */
/* { dg-do run } */

#include <stdlib.h>
#include <string.h>

int
main (void)
{
  for (int round = 0; round < 30; round++)
    {
      size_t size = 300000 + round * 1000;
      char *block = calloc (size, 1);
      for (size_t i = 0; i < size; i++)
        if (block[i])
          abort ();
      memset (block, 0x55, size);
      #pragma omp target map(tofrom: block[0:size])
      block[0] = 1;
      if (block[0] != 1 || block[size - 1] != 0x55)
        abort ();
      free (block);
    }
  return 0;
}
