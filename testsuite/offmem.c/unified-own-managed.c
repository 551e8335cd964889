/* Managed memory of the program's own, which it has associated with itself, is
   left out of what libgomp would copy onto itself, and dies of.  */
/* { dg-do run { target offload_device } } */
/* { dg-additional-options "-foffload-memory=unified -ldl" } */

#include <stdint.h>
#include "aux/managed.h"

#define N 1000

static int failed;
#define CHECK(X) do { if (!failed && !(X)) failed = __LINE__; } while (0)

int
main (void)
{
  int *a = managed (1 << 20), s = 0, host = 1;
  uintptr_t place = 0;
  int device = omp_get_default_device ();

  for (int i = 0; i < N; i++)
    a[i] = i;
  #pragma omp target map(always, tofrom: a[0:N]) map(from: place, host)
  {
    place = (uintptr_t) a;
    host = omp_is_initial_device ();
    for (int i = 0; i < N; i++)
      a[i] *= 2;
  }
  CHECK (!host && place == (uintptr_t) a && a[7] == 14);

  /* Named in no clause.  */
  #pragma omp target map(from: s)
  s = a[8];
  CHECK (s == 16);

  #pragma omp target enter data map(always, to: a[0:N])
  a[5] = 77;
  #pragma omp target update to(a[0:N])
  #pragma omp target map(from: s)
  s = a[5]++;
  CHECK (s == 77 && a[5] == 78);
  #pragma omp target update from(a[5:10])
  #pragma omp target exit data map(always, from: a[0:N])
  #pragma omp target exit data map(delete: a[0:N])
  #pragma omp target exit data map(release: a[0:N])
  CHECK (a[5] == 78 && omp_target_is_present (a, device));

  #pragma omp target data map(tofrom: a[0:N]) use_device_ptr(a)
  CHECK ((uintptr_t) a == place);
  #pragma omp target is_device_ptr(a)
  a[6] = 1;
  CHECK (a[6] == 1);

  /* A part without length.  */
  #pragma omp target map(a[:0]) map(from: place)
  place = (uintptr_t) a;
  CHECK (place == (uintptr_t) a);

  #pragma omp target map(always, to: a[0:N]) nowait depend(inout: a[0])
  a[0]++;
  #pragma omp target update from(a[0:N]) nowait depend(inout: a[0])
  #pragma omp target map(always, tofrom: a[0:N]) nowait depend(inout: a[0])
  a[0]++;
  #pragma omp target enter data map(always, to: a[0:N]) nowait depend(inout: a[0])
  #pragma omp target exit data map(always, from: a[0:N]) nowait depend(inout: a[0])
  #pragma omp taskwait
  CHECK (a[0] == 2);
  return failed;
}
