/* A linked list, each node a block of its own, is walked, changed and turned round by the
   device: nothing is mapped but the sum.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 1024 } */

#include <stdlib.h>

enum { N = 1000 };

struct node
{
  int value;
  struct node *next;
};

int
main (void)
{
  struct node *head = NULL;
  long sum = 0;

  for (int i = 0; i < N; i++)
    {
      struct node *node = (struct node *) malloc (sizeof *node);
      node->value = i;
      node->next = head;
      head = node;
    }
  #pragma omp target map(tofrom: sum)
  for (struct node *p = head; p; p = p->next)
    {
      sum += p->value;
      p->value *= 3;
    }
  if (sum != N * (N - 1L) / 2)
    abort ();

  struct node **where = (struct node **) malloc (sizeof *where);
  *where = head;
  #pragma omp target
  {
    struct node *turned = NULL;
    for (struct node *p = *where, *next; p; p = next)
      {
        next = p->next;
        p->next = turned;
        turned = p;
      }
    *where = turned;
  }
  int i = 0;
  for (struct node *p = *where, *next; p; p = next, i++)
    {
      if (p->value != 3 * i)
        abort ();
      next = p->next;
      free (p);
    }
  if (i != N)
    abort ();
  free (where);
  return 0;
}
