/* A linked list is laid flat into an array, whose links are indices, worked on
   there, and written back.  */
/* { dg-do run } */

#include <stdlib.h>

struct node
{
  int value;
  struct node *next;
};

struct flat
{
  int value, next;
};

int
main (void)
{
  enum { n = 250 };
  struct node *head = NULL;
  struct flat *flat = (struct flat *) malloc (n * sizeof *flat);
  int count = 0, i = 0;

  for (int v = 0; v < n; v++)
    {
      struct node *node = (struct node *) malloc (sizeof *node);
      node->value = v;
      node->next = head;
      head = node;
    }
  for (struct node *node = head; node; node = node->next, i++)
    {
      flat[i].value = node->value;
      flat[i].next = node->next ? i + 1 : -1;
    }

  #pragma omp target map(tofrom: flat[0:n], count)
  for (int k = 0; k >= 0; k = flat[k].next)
    {
      flat[k].value *= 3;
      count++;
    }

  if (count != n)
    abort ();
  i = 0;
  while (head)
    {
      struct node *next = head->next;
      if (flat[i++].value != 3 * head->value)
        abort ();
      free (head);
      head = next;
    }
  free (flat);
  return 0;
}
