/* Managed memory of the program's own, associated with itself: OpenACC's
   constructs and routines find it present and copy nothing.  */
/* { dg-do run { target offload_device } } */
/* { dg-additional-options "-foffload-memory=unified -ldl" } */
/* { dg-skip-if "GCC 11 takes a structure and its member for the same thing" { ! gcc12_or_later } } */

#include <openacc.h>
#include <stdint.h>
#include "../offmem.c/aux/managed.h"

#define N 1000

struct vector
{
  int n;
  int *data;
};

static int failed;
#define CHECK(X) do { if (!failed && !(X)) failed = __LINE__; } while (0)

int
main (void)
{
  /* OpenACC would not take a device that OpenMP has initialised.  */
  acc_init (acc_device_default);
  char *memory = managed (1 << 20);
  int *a = (int *) memory, *b = (int *) (memory + 8192), sum = 0;
  struct vector *s = (struct vector *) (memory + 16384), on_stack = { N, NULL };
  size_t size = N * sizeof (int);

  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
  #pragma acc parallel loop copy(a[0:N]) copyin(b[0:N]) reduction(+: sum)
  for (int i = 0; i < N; i++)
    {
      a[i] += b[i];
      sum += a[i];
    }
  CHECK (a[9] == 18 && sum == N * (N - 1));

  #pragma acc enter data copyin(a[0:N]) create(b[0:N])
  a[1] = 70;
  #pragma acc update device(a[0:N])
  #pragma acc parallel loop present(a[0:N], b[0:N])
  for (int i = 0; i < N; i++)
    b[i] = a[i];
  #pragma acc update self(b[0:N]) async(1)
  #pragma acc update if_present host(b[2:2]) device(a[2:2])
  #pragma acc wait
  CHECK (b[1] == 70 && b[2] == 4);
  #pragma acc exit data copyout(a[0:N]) delete(b[0:N])
  #pragma acc exit data copyout(a[0:N]) finalize
  CHECK (acc_is_present (a, size) && acc_deviceptr (a) == a && acc_hostptr (a) == a);

  #pragma acc data copy(a[0:N]) no_create(b[0:N])
  {
    #pragma acc host_data use_device(a, b)
    CHECK (acc_deviceptr (a) == a && acc_deviceptr (b) == b);
    #pragma acc parallel loop deviceptr(b) async(2)
    for (int i = 0; i < N; i++)
      b[i]++;
    #pragma acc kernels async(2)
    for (int i = 0; i < N; i++)
      a[i] = b[i];
    #pragma acc wait(2)
  }
  CHECK (a[1] == 71 && b[1] == 71);

  /* Attached pointers.  */
  *s = (struct vector) { N, a };
  #pragma acc enter data copyin(s[0:1]) copyin(s->data[0:N])
  #pragma acc parallel loop present(s[0:1])
  for (int i = 0; i < N; i++)
    s->data[i] = 2 * i;
  #pragma acc exit data copyout(s->data[0:N])
  #pragma acc exit data delete(s[0:1])
  CHECK (a[9] == 18 && s->data == a);
  on_stack.data = a;
  #pragma acc enter data copyin(on_stack)
  #pragma acc enter data copyin(on_stack.data[0:N])
  #pragma acc parallel loop present(on_stack)
  for (int i = 0; i < N; i++)
    on_stack.data[i]++;
  #pragma acc exit data copyout(on_stack.data[0:N])
  #pragma acc exit data delete(on_stack)
  CHECK (a[9] == 19 && on_stack.data == a);
  int stack[N];
  for (int i = 0; i < N; i++)
    stack[i] = i;
  s->data = stack;
  #pragma acc parallel loop copy(s->n, s->data[0:N])
  for (int i = 0; i < N; i++)
    s->data[i]++;
  #pragma acc parallel loop copy(s->n, s->data[0:N]) async(3)
  for (int i = 0; i < N; i++)
    s->data[i]++;
  CHECK (s->data == stack);
  #pragma acc wait(3)
  CHECK (s->data == stack && stack[9] == 11);

  /* Routines.  */
  CHECK (acc_copyin (a, size) == a && acc_create (b, size) == b);
  acc_update_device (a, size);
  acc_update_self (a, size);
  acc_update_device_async (b, size, 1);
  acc_update_self_async (b, size, 1);
  acc_wait_all ();
  acc_copyout (a, size);
  acc_delete (b, size);
  acc_copyout_finalize (a, size);
  acc_memcpy_to_device (a, a, size);
  acc_memcpy_from_device (a, a, size);
  acc_memcpy_to_device_async (a, a, size, 1);
  acc_memcpy_to_device (b, a, size);
  CHECK (b[9] == 19);
  acc_memcpy_from_device (stack, b, size);
  CHECK (stack[9] == 19);
  acc_attach ((void **) &s->data);
  acc_detach ((void **) &s->data);
  CHECK (s->data == stack);
  return failed;
}
