/* Where the device reads any host memory, OpenACC's kernels get the host's
   addresses, too.  */
/* { dg-do run { target offload_device } } */
/* { dg-additional-options "-foffload-memory=unified" } */
/* { dg-set-target-env-var SOFTCUDA_PAGEABLE_ACCESS "1" } */

#include <openacc.h>
#include <stdint.h>
#include <stdlib.h>

#define N 1000

int declared[N];
#pragma acc declare create(declared)

struct vector
{
  int n;
  int *data;
};

static int in_data[N];
static int failed;
#define CHECK(X) do { if (!failed && !(X)) failed = __LINE__; } while (0)

int
main (void)
{
  int on_stack[N], sum = 0, host = 1;
  size_t size = sizeof on_stack;
  uintptr_t place[2] = { 0 };

  /* The device shows what it is.  */
  #pragma acc parallel copyout(host)
  host = acc_on_device (acc_device_host);
  CHECK (!host);

  for (int i = 0; i < N; i++)
    on_stack[i] = in_data[i] = declared[i] = i;
  #pragma acc parallel loop copy(on_stack) copyin(in_data) copyout(place) reduction(+: sum)
  for (int i = 0; i < N; i++)
    {
      on_stack[i] += in_data[i];
      sum += on_stack[i];
      if (i == 0)
	{
	  place[0] = (uintptr_t) on_stack;
	  place[1] = (uintptr_t) in_data;
	}
    }
  CHECK (place[0] == (uintptr_t) on_stack && place[1] == (uintptr_t) in_data);
  CHECK (on_stack[9] == 18 && sum == N * (N - 1));

  #pragma acc enter data copyin(on_stack) create(in_data)
  on_stack[1] = 70;
  #pragma acc update device(on_stack)
  #pragma acc parallel loop present(on_stack, in_data) private(host)
  for (int i = 0; i < N; i++)
    {
      host = on_stack[i];
      in_data[i] = host;
    }
  #pragma acc update self(in_data) async(1)
  #pragma acc wait
  CHECK (in_data[1] == 70);
  #pragma acc exit data copyout(on_stack) delete(in_data)

  #pragma acc data copy(on_stack) create(in_data)
  {
    #pragma acc host_data use_device(on_stack)
    CHECK (acc_deviceptr (in_data) == in_data && (uintptr_t) on_stack == place[0]);
    #pragma acc kernels async(2)
    for (int i = 0; i < N; i++)
      in_data[i] = on_stack[i];
    #pragma acc wait(2)
  }
  CHECK (in_data[1] == 70);

  /* Attached pointers.  */
  struct vector s = { N, in_data };
  #pragma acc enter data copyin(s)
  #pragma acc enter data copyin(s.data[0:N])
  #pragma acc parallel loop present(s) copyout(place)
  for (int i = 0; i < N; i++)
    {
      s.data[i] = 2 * i;
      if (i == 0)
	place[0] = (uintptr_t) &s;
    }
  #pragma acc exit data copyout(s.data[0:N])
  #pragma acc exit data delete(s)
  CHECK (in_data[9] == 18 && s.data == in_data && place[0] == (uintptr_t) &s);

  /* The device's own.  */
  acc_update_device (declared, sizeof declared);
  #pragma acc parallel loop present(declared)
  for (int i = 0; i < N; i++)
    declared[i]++;
  CHECK (declared[9] == 9);
  acc_update_self (declared, sizeof declared);
  CHECK (declared[9] == 10);

  /* Routines.  */
  CHECK (acc_is_present (on_stack, size) && acc_deviceptr (on_stack) == on_stack);
  CHECK (acc_hostptr (on_stack) == on_stack && acc_deviceptr (declared) != declared);
  CHECK (acc_copyin (on_stack, size) == on_stack && acc_create (in_data, size) == in_data);
  acc_update_device (on_stack, size);
  acc_update_self_async (on_stack, size, 1);
  acc_memcpy_to_device (on_stack, on_stack, size);
  acc_memcpy_to_device (in_data, on_stack, size);
  CHECK (in_data[1] == on_stack[1]);
  acc_memcpy_from_device_async (on_stack, in_data, size, 1);
  acc_wait_all ();
  acc_attach ((void **) &s.data);
  acc_detach ((void **) &s.data);
  acc_copyout (on_stack, size);
  acc_delete (in_data, size);
  int *own = acc_malloc (size);
  acc_map_data (in_data, own, size);
  CHECK (acc_deviceptr (in_data) == own);
  acc_memcpy_to_device (own, on_stack, size);
  acc_update_self (in_data, size);
  CHECK (in_data[1] == 70);
  acc_unmap_data (in_data);
  acc_free (own);
  return failed;
}
