/* Each function in a section of its own, unused ones dropped by the linker.  */
/* { dg-do run } */
/* { dg-skip-if "ld collects GCC's own tables of device code" { offload_device } } */
/* { dg-additional-options "-ffunction-sections -fdata-sections -Wl,--gc-sections" } */

#include <stdlib.h>

int
main (void)
{
  int x[100];
  #pragma omp target map(from: x)
  for (int i = 0; i < 100; i++)
    x[i] = i;
  for (int i = 0; i < 100; i++)
    if (x[i] != i)
      abort ();
  return 0;
}
