/* Where the device reads any host memory, a kernel gets the host's addresses:
   of the stack, of static data, of memory from anywhere.  What is the device's
   own stays so.  */
/* { dg-do run { target offload_device } } */
/* { dg-additional-options "-foffload-memory=unified" } */
/* { dg-set-target-env-var SOFTCUDA_PAGEABLE_ACCESS "1" } */
/* { dg-additional-options "-Wno-deprecated-openmp" } */

#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define N 1000

#pragma omp declare target
int declared[N];
int *of_declared;
#pragma omp end declare target

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
  int on_stack[N], sum = 0, private = 3, device = omp_get_default_device (), host = 1;
  int *mapped = mmap (NULL, N * sizeof (int), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uintptr_t place[4] = { 0 };

  for (int i = 0; i < N; i++)
    on_stack[i] = in_data[i] = mapped[i] = declared[i] = i;
  /* The device shows what it is.  */
  #pragma omp target map(from: host)
  host = omp_is_initial_device ();
  CHECK (!host);

  #pragma omp target map(tofrom: on_stack, in_data) map(always, tofrom: mapped[0:N]) \
		     map(from: place) map(tofrom: sum) firstprivate(private)
  {
    place[0] = (uintptr_t) on_stack;
    place[1] = (uintptr_t) in_data;
    place[2] = (uintptr_t) mapped;
    place[3] = (uintptr_t) place;
    private++;
    for (int i = 0; i < N; i++)
      sum += on_stack[i]++ + in_data[i]++ + mapped[i]++;
  }
  CHECK (place[0] == (uintptr_t) on_stack && place[1] == (uintptr_t) in_data);
  CHECK (place[2] == (uintptr_t) mapped && place[3] == (uintptr_t) place);
  CHECK (sum == 3 * (N * (N - 1) / 2) && private == 3);
  CHECK (on_stack[9] == 10 && in_data[9] == 10 && mapped[9] == 10);

  #pragma omp target enter data map(to: on_stack, mapped[0:N])
  on_stack[1] = 70;
  #pragma omp target update to(on_stack)
  #pragma omp target
  on_stack[1] += mapped[1];
  #pragma omp target update from(on_stack)
  CHECK (on_stack[1] == 72);
  #pragma omp target exit data map(from: on_stack, mapped[0:N])
  CHECK (on_stack[1] == 72);
  CHECK (omp_target_is_present (on_stack, device));

  #pragma omp target data map(tofrom: in_data, mapped[0:N]) use_device_addr(in_data) use_device_ptr(mapped)
  CHECK ((uintptr_t) in_data == place[1] && (uintptr_t) mapped == place[2]);
  #pragma omp target map(mapped[:0]) map(from: place)
  place[2] = (uintptr_t) mapped;
  CHECK (place[2] == (uintptr_t) mapped);

  /* Pointers, in structures and outside.  */
  struct vector s = { N, mapped };
  #pragma omp target map(tofrom: s.n, s.data) map(tofrom: s.data[0:N]) map(from: place)
  {
    s.data[2] = 8;
    place[0] = (uintptr_t) s.data;
    place[1] = (uintptr_t) &s;
  }
  CHECK (s.data == mapped && mapped[2] == 8 && place[0] == (uintptr_t) mapped);
  CHECK (place[1] == (uintptr_t) &s);

  /* The device has its own of these.  */
  #pragma omp target map(from: place)
  {
    place[0] = (uintptr_t) declared;
    declared[3] = 5;
  }
  CHECK (place[0] != (uintptr_t) declared && declared[3] == 3);
  #pragma omp target update from(declared)
  CHECK (declared[3] == 5);
  of_declared = mapped;
  #pragma omp target update to(of_declared)
  #pragma omp target map(from: place)
  place[0] = (uintptr_t) of_declared;
  CHECK (place[0] == (uintptr_t) mapped);
  /* A pointer to them is the device's there, and what holds it is mapped.  */
  s.data = declared;
  #pragma omp target map(tofrom: s.n, s.data) map(tofrom: s.data[0:N]) map(from: place)
  {
    s.data[4] = 6;
    place[0] = (uintptr_t) s.data;
    place[1] = (uintptr_t) &s;
  }
  CHECK (place[0] != (uintptr_t) declared && place[1] != (uintptr_t) &s && s.data == declared);
  #pragma omp target update from(declared)
  CHECK (declared[4] == 6);

  /* Memory that the program associates is as it wants it.  */
  int *own = omp_target_alloc (N * sizeof (int), device);
  CHECK (omp_target_associate_ptr (in_data, own, sizeof in_data, 0, device) == 0);
  in_data[6] = 1;
  #pragma omp target map(always, to: in_data) map(from: place)
  {
    place[1] = (uintptr_t) in_data;
    in_data[6] = 2;
  }
  CHECK (place[1] == (uintptr_t) own && in_data[6] == 1);
  CHECK (omp_target_memcpy (in_data, own, sizeof in_data, 0, 0, omp_get_initial_device (), device) == 0);
  CHECK (in_data[6] == 2);
  CHECK (omp_target_disassociate_ptr (in_data, device) == 0);
  omp_target_free (own, device);

  /* Copies between both sides of the same memory, and of other memory.  */
  int initial = omp_get_initial_device ();
  CHECK (omp_target_memcpy (mapped, mapped, 400, 0, 0, device, initial) == 0);
  CHECK (omp_target_memcpy (mapped, on_stack, 4, 0, 4, device, initial) == 0 && mapped[0] == 72);
  CHECK (omp_target_memcpy (on_stack, mapped, 4, 8, 8, initial, device) == 0 && on_stack[2] == 8);
  size_t volume[2] = { 2, 3 }, offsets[2] = { 1, 1 }, dimensions[2] = { 10, 10 };
  CHECK (omp_target_memcpy_rect (mapped, mapped, 4, 2, volume, offsets, offsets, dimensions,
				 dimensions, device, initial) == 0);
  CHECK (omp_target_memcpy_rect (on_stack, mapped, 4, 2, volume, offsets, offsets, dimensions,
				 dimensions, initial, device) == 0);
  CHECK (on_stack[11] == mapped[11]);
  return failed;
}
