/* OpenACC, synchronous and in two queues.  */

#include <openacc.h>
#include <stdio.h>

#define N 4096

int
main (void)
{
  static float a[N], b[N], sum[N];
  int wrong = 0, host = 1;
  double total = 0;

  for (int i = 0; i < N; i++)
    {
      a[i] = i;
      b[i] = 2 * i;
    }

  #pragma acc parallel copyout(host)
  host = acc_on_device (acc_device_host);

  #pragma acc parallel loop gang vector copyin(a, b) copyout(sum)
  for (int i = 0; i < N; i++)
    sum[i] = a[i] + b[i];
  for (int i = 0; i < N; i++)
    wrong += sum[i] != 3 * i;

  #pragma acc data copyin(a, b) copyout(sum)
  {
    #pragma acc parallel loop async(1) present(a, sum)
    for (int i = 0; i < N; i++)
      sum[i] = 2 * a[i];
    #pragma acc wait(1) async(2)
    #pragma acc parallel loop async(2) present(b, sum)
    for (int i = 0; i < N; i++)
      sum[i] += b[i];
    #pragma acc wait
  }
  for (int i = 0; i < N; i++)
    wrong += sum[i] != 4 * i;

  #pragma acc parallel loop reduction(+: total) copyin(b)
  for (int i = 0; i < N; i++)
    total += b[i];
  wrong += total != (double) N * (N - 1);

  printf ("host %d wrong %d\n", host, wrong);
  return host || wrong;
}
