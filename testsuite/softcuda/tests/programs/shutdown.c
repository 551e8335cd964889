/* Managed memory of a context that libgomp shares stays when OpenACC shuts the
   device down, and is there when it is used again.  */

#include <dlfcn.h>
#include <openacc.h>
#include <stdio.h>

#define N 1000

static int (*push_current) (void *);
static int (*pop_current) (void **);
static void *primary;

static void
open_shared (void)
{
  void *popped;
  push_current (primary);
  acc_init (acc_device_nvidia);
  pop_current (&popped);
}

static void
add_one (int *p)
{
  int host = 1;
  #pragma acc parallel loop deviceptr(p) copyout(host)
  for (int i = 0; i < N; i++)
    {
      host = acc_on_device (acc_device_host);
      p[i]++;
    }
  printf ("host %d fifth %d\n", host, p[5]);
}

int
main (void)
{
  void *driver = dlopen ("libcuda.so.1", RTLD_LAZY), *popped;
  int (*init) (unsigned) = dlsym (driver, "cuInit");
  int (*retain) (void **, int) = dlsym (driver, "cuDevicePrimaryCtxRetain");
  int (*release) (int) = dlsym (driver, "cuDevicePrimaryCtxRelease_v2");
  int (*manage) (int **, size_t, unsigned) = dlsym (driver, "cuMemAllocManaged");
  push_current = dlsym (driver, "cuCtxPushCurrent_v2");
  pop_current = dlsym (driver, "cuCtxPopCurrent_v2");
  int *p;

  init (0);
  retain (&primary, 0);
  open_shared ();
  push_current (primary);
  manage (&p, N * sizeof *p, 1);
  pop_current (&popped);
  for (int i = 0; i < N; i++)
    p[i] = i;
  add_one (p);
  acc_shutdown (acc_device_nvidia);
  p[5] += 10;
  printf ("closed, fifth %d\n", p[5]);
  open_shared ();
  add_one (p);
  acc_shutdown (acc_device_nvidia);
  fflush (stdout);
  release (0);
  return p[5];
}
