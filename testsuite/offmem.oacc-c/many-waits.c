/* A construct with more waits than the runtime hands on in one call: those
   beyond are waited for at once, and none is lost.  */
/* { dg-do run } */

#include <stdlib.h>

#define QUEUES 30

int
main (void)
{
  int x[QUEUES] = { 0 }, sum = 0;

  #pragma acc data copy(x) copy(sum)
  {
    for (int q = 0; q < QUEUES; q++)
      {
        #pragma acc parallel present(x) async(q)
        x[q] = q;
      }
    #pragma acc parallel present(x, sum) async(QUEUES) \
      wait(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
           23, 24, 25, 26, 27, 28, 29)
    for (int q = 0; q < QUEUES; q++)
      sum += x[q];
    #pragma acc update self(x) async(QUEUES) \
      wait(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, \
           23, 24, 25, 26, 27, 28, 29)
    #pragma acc wait
  }
  if (sum != QUEUES * (QUEUES - 1) / 2 || x[QUEUES - 1] != QUEUES - 1)
    abort ();
  return 0;
}
