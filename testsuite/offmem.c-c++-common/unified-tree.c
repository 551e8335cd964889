/* A search tree of blocks: the host builds one half, the device puts in the other from
   spare nodes, and both find everything.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 1024 } */
/* { dg-additional-options "-Wno-deprecated-openmp" } */

#include <stdlib.h>

enum { N = 512 };

struct node
{
  unsigned key;
  struct node *left, *right;
};

#pragma omp declare target
static void
insert (struct node **root, struct node *node)
{
  while (*root)
    root = node->key < (*root)->key ? &(*root)->left : &(*root)->right;
  *root = node;
}

static int
depth_of (struct node *p, unsigned key)
{
  int depth = 1;
  while (p && p->key != key)
    {
      p = key < p->key ? p->left : p->right;
      depth++;
    }
  return p ? depth : 0;
}
#pragma omp end declare target

static unsigned
in_order (struct node *p, unsigned count)
{
  if (!p)
    return count;
  count = in_order (p->left, count);
  if (p->key != count)
    abort ();
  count = in_order (p->right, count + 1);
  free (p);
  return count;
}

int
main (void)
{
  struct node **root = (struct node **) calloc (1, sizeof *root);
  struct node **spare = (struct node **) malloc (N * sizeof *spare);
  int found = 0;

  for (unsigned i = 0; i < N; i++)
    {
      spare[i] = (struct node *) calloc (1, sizeof **spare);
      /* An odd factor: each key once.  */
      spare[i]->key = i * 301 % N;
    }
  for (int i = 0; i < N / 2; i++)
    insert (root, spare[i]);
  #pragma omp target
  for (int i = N / 2; i < N; i++)
    insert (root, spare[i]);
  for (unsigned key = 0; key < N; key++)
    if (!depth_of (*root, key))
      abort ();
  #pragma omp target teams distribute parallel for map(tofrom: found) reduction(+: found)
  for (unsigned key = 0; key < 2 * N; key++)
    found += depth_of (*root, key) != 0;
  if (found != N || in_order (*root, 0) != N)
    abort ();
  free (spare);
  free (root);
  return 0;
}
