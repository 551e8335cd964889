/* Structures whose pointers are attached: between managed memory nothing is to
   be done, and a pointer in managed memory to other memory is the device's only
   while a region runs.  */
/* { dg-do run { target offload_device } } */
/* { dg-skip-if "GCC 11 maps no members that a pointer leads to" { ! gcc12_or_later } } */
/* { dg-additional-options "-foffload-memory=unified -ldl" } */

#include "aux/managed.h"

#define N 100

struct vector
{
  int n;
  int *data, *more;
};

static int failed;
#define CHECK(X) do { if (!failed && !(X)) failed = __LINE__; } while (0)

static void
fill (int *a)
{
  for (int i = 0; i < N; i++)
    a[i] = i;
}

int
main (void)
{
  char *memory = managed (1 << 20);
  struct vector *s = (struct vector *) memory, on_stack = { N, NULL, NULL };
  int *a = (int *) (memory + 4096), *b = (int *) (memory + 8192), stack[N];

  /* Both are managed.  */
  *s = (struct vector) { N, a, b };
  fill (a);
  fill (b);
  /* In the other order GCC 15 and 16 themselves crash.  */
  #pragma omp target map(always, tofrom: s->more[0:N]) map(tofrom: s->n, s->data[0:N])
  for (int i = 0; i < s->n; i++)
    s->data[i] += s->more[i]++;
  CHECK (a[3] == 6 && b[3] == 4 && s->data == a && s->more == b);
  #pragma omp target enter data map(to: s[0:1]) map(to: s->data[0:N])
  #pragma omp target
  s->data[5] = s->more[5];
  #pragma omp target update from(s->data[0:N])
  #pragma omp target exit data map(from: s->data[0:N]) map(release: s[0:1])
  CHECK (a[5] == 6 && s->data == a);

  /* The structure is on the stack.  */
  on_stack.data = a;
  fill (a);
  #pragma omp target map(to: on_stack.n, on_stack.data) map(tofrom: on_stack.data[0:N])
  for (int i = 0; i < on_stack.n; i++)
    on_stack.data[i]++;
  CHECK (a[N - 1] == N && on_stack.data == a);
  #pragma omp target enter data map(to: on_stack) map(to: on_stack.data[0:N])
  #pragma omp target
  on_stack.data[0] = 5;
  #pragma omp target exit data map(from: on_stack.data[0:N]) map(release: on_stack)
  CHECK (on_stack.data == a && a[0] == 5);

  /* What it points to is on the stack.  */
  for (int round = 0; round < 3; round++)
    {
      fill (stack);
      s->data = stack;
      #pragma omp target map(to: s->n) map(tofrom: s->data[0:N])
      for (int i = 0; i < s->n; i++)
	s->data[i] *= 2;
      CHECK (s->data == stack && stack[9] == 18);
      #pragma omp target map(to: s->n) map(tofrom: s->data[10:N - 10]) nowait
      for (int i = 10; i < s->n; i++)
	s->data[i] *= 2;
      #pragma omp taskwait
      CHECK (s->data == stack && stack[9] == 18 && stack[11] == 44);
    }
  /* Between regions the host's value counts.  */
  #pragma omp target data map(tofrom: stack)
  {
    s->data[9] = 1;
    #pragma omp target update to(stack[9:1])
    #pragma omp target map(to: s->n) map(tofrom: s->data[0:N])
    for (int i = 0; i < s->n; i++)
      s->data[i]++;
    CHECK (s->data == stack && s->data[9] == 1);
  }
  CHECK (s->data == stack && stack[9] == 2 && stack[11] == 45);
  #pragma omp target enter data map(to: s[0:1]) map(to: s->data[0:N])
  CHECK (s->data == stack && s->data[9] == 2);
  #pragma omp target exit data map(from: s->data[0:N]) map(release: s[0:1])
  CHECK (s->data == stack && stack[9] == 2);
  return failed;
}
