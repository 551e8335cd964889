// A tree held by unique_ptr and values by shared_ptr: the device follows them and sets them.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 4096 }
// { dg-additional-options "-std=c++17" }
// { dg-skip-if "constructors that are aliases, for nvptx" { ! gcc13_or_later } { "-O0" } }

#include <memory>
#include <vector>
#include <stdlib.h>

struct Node
{
  int key;
  std::unique_ptr<Node> left, right;
  std::shared_ptr<double> value;
  Node (int k, std::shared_ptr<double> v) : key (k), value (std::move (v)) { }
};

static void
insert (std::unique_ptr<Node> &root, int key, const std::shared_ptr<double> &value)
{
  std::unique_ptr<Node> *at = &root;
  while (*at)
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  *at = std::make_unique<Node> (key, value);
}

int
main ()
{
  enum { N = 300 };
  std::unique_ptr<Node> root;
  auto even = std::make_shared<double> (0), odd = std::make_shared<double> (0);
  for (int i = 0; i < N; i++)
    insert (root, i * 97 % N, i * 97 % N % 2 ? odd : even);

  Node *top = root.get ();
  int visited = 0;
  #pragma omp target map(tofrom: visited)
  for (int key = 0; key < N; key++)
    {
      Node *p = top;
      while (p && p->key != key)
        p = key < p->key ? p->left.get () : p->right.get ();
      if (p)
        {
          visited++;
          *p->value += p->key;
        }
    }
  if (visited != N || *even != N / 2 * (N / 2 - 1) || *odd != N / 2 * (N / 2)
      || even.use_count () != 1 + N / 2)
    abort ();

  // The device exchanges the branches.
  #pragma omp target
  top->left.swap (top->right);
  if (root->left && root->left->key < root->key)
    abort ();
  root.reset ();
  if (even.use_count () != 1)
    abort ();
  std::unique_ptr<int[]> array (new int[1000] ());
  int *a = array.get ();
  #pragma omp target
  a[999] = 7;
  if (array[999] != 7)
    abort ();
}
