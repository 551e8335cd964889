/* A list of rows in a structure, attached and not, on queues.  */
/* { dg-do run } */
/* { dg-options "-fopenacc -foffload-memory=unified" } */
/* { dg-copied-bytes 4096 } */

#include "unified.h"

enum { ROWS = 30, N = 100 };

struct row
{
  int n;
  int *values;
  struct row *next;
};

int
main (void)
{
  struct row *head = NULL;
  int sum = 0;

  for (int r = 0; r < ROWS; r++)
    {
      struct row *row = malloc (sizeof *row);
      *row = (struct row) { N, malloc (N * sizeof (int)), head };
      for (int i = 0; i < N; i++)
        row->values[i] = r;
      head = row;
    }
  #pragma acc parallel num_gangs(1) deviceptr(head) copy(sum)
  for (struct row *p = head; p; p = p->next)
    for (int i = 0; i < p->n; i++)
      sum += p->values[i]++;
  if (sum != N * ROWS * (ROWS - 1) / 2)
    abort ();

  struct row *first = head;
  #pragma acc enter data copyin(first[0:1])
  #pragma acc enter data copyin(first->values[0:N])
  #pragma acc parallel loop present(first[0:1]) async(1)
  for (int i = 0; i < N; i++)
    first->values[i] = i;
  #pragma acc parallel loop deviceptr(first) async(1)
  for (int i = 0; i < N; i++)
    first->next->values[i] += first->values[i];
  #pragma acc wait
  #pragma acc exit data copyout(first->values[0:N])
  #pragma acc exit data delete(first[0:1])
  for (int i = 0; i < N; i++)
    if (head->values[i] != i || head->next->values[i] != ROWS - 1 + i)
      abort ();
  for (struct row *p = head, *next; p; p = next)
    {
      next = p->next;
      expect_shared (p->values, N * sizeof (int));
      free (p->values);
      free (p);
    }
  return 0;
}
