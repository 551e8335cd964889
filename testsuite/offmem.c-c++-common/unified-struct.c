/* Structures with pointer members, in shared memory and on the stack, their members mapped and
   attached or not mentioned at all.  */
/* { dg-do run } */
/* { dg-skip-if "GCC 11 maps no members that a pointer leads to" { ! gcc12_or_later } } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 2048 } */

#include "unified.h"

enum { N = 2000 };

struct pair
{
  int n;
  double *x, *y;
};

static void
check (const struct pair *s, double *x, double *y, double what)
{
  if (s->n != N || s->x != x || s->y != y)
    abort ();
  for (int i = 0; i < N; i++)
    if (x[i] != i || y[i] != what + i)
      abort ();
}

int
main (void)
{
  double *x = (double *) malloc (N * sizeof *x), *y = (double *) calloc (N, sizeof *y);
  struct pair *s = (struct pair *) malloc (sizeof *s), local = { N, x, y };

  *s = local;
  for (int i = 0; i < N; i++)
    x[i] = i;
  /* Nothing said.  */
  #pragma omp target
  for (int i = 0; i < s->n; i++)
    s->y[i] = s->x[i] + 1;
  check (s, x, y, 1);
  /* The structure, without what it points to.  */
  #pragma omp target map(to: s[0:1])
  for (int i = 0; i < s->n; i++)
    s->y[i] += 1;
  check (s, x, y, 2);
  /* Members of the shared one.  */
  #pragma omp target map(to: s->n, s->x[0:N]) map(tofrom: s->y[0:N])
  for (int i = 0; i < s->n; i++)
    s->y[i] += 1;
  check (s, x, y, 3);
  #pragma omp target enter data map(to: s[0:1])
  #pragma omp target enter data map(to: s->x[0:N], s->y[0:N])
  #pragma omp target
  for (int i = 0; i < s->n; i++)
    s->y[i] += 1;
  check (s, x, y, 4);
  #pragma omp target exit data map(from: s->x[0:N], s->y[0:N])
  #pragma omp target exit data map(release: s[0:1])
  check (s, x, y, 4);
  /* On the stack: copied, with pointers that are good there.  */
  #pragma omp target map(to: local)
  for (int i = 0; i < local.n; i++)
    local.y[i] += 1;
  check (&local, x, y, 5);
  #pragma omp target map(to: local.n, local.x, local.y) \
    map(to: local.x[0:N]) map(tofrom: local.y[0:N])
  for (int i = 0; i < local.n; i++)
    local.y[i] += 1;
  check (&local, x, y, 6);
  #pragma omp target firstprivate(local)
  for (int i = 0; i < local.n; i++)
    local.y[i] += 1;
  check (&local, x, y, 7);
  free (x);
  free (y);
  free (s);
  return 0;
}
