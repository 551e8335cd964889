/* Breadth-first search in a graph of rows of neighbours, in a structure that points to
   them; each level is a region.  */
/* { dg-do run } */
/* { dg-skip-if "GCC 11 writes atom.b32.or, which PTX's manual does not have" { ! gcc12_or_later } } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 8192 } */

#include <stdlib.h>

enum { SIDE = 24, N = SIDE * SIDE };

struct graph
{
  int vertices;
  int *rows, *neighbours, *distance;
};

int
main (void)
{
  struct graph *g = (struct graph *) malloc (sizeof *g);
  int edges = 0, more = 1;

  g->vertices = N;
  g->rows = (int *) malloc ((N + 1) * sizeof (int));
  g->neighbours = (int *) malloc (4 * N * sizeof (int));
  g->distance = (int *) malloc (N * sizeof (int));
  for (int v = 0; v < N; v++)
    {
      int x = v % SIDE, y = v / SIDE;
      g->rows[v] = edges;
      g->distance[v] = v ? -1 : 0;
      if (x > 0)
        g->neighbours[edges++] = v - 1;
      if (x < SIDE - 1)
        g->neighbours[edges++] = v + 1;
      if (y > 0)
        g->neighbours[edges++] = v - SIDE;
      if (y < SIDE - 1)
        g->neighbours[edges++] = v + SIDE;
    }
  g->rows[N] = edges;

  for (int level = 0; more; level++)
    {
      more = 0;
      #pragma omp target teams distribute parallel for map(tofrom: more) reduction(|: more)
      for (int v = 0; v < g->vertices; v++)
        if (g->distance[v] == level)
          for (int e = g->rows[v]; e < g->rows[v + 1]; e++)
            {
              int *distance = &g->distance[g->neighbours[e]];
              if (*distance < 0)
                {
                  #pragma omp atomic write
                  *distance = level + 1;
                  more = 1;
                }
            }
    }
  for (int v = 0; v < N; v++)
    if (g->distance[v] != v % SIDE + v / SIDE)
      abort ();
  free (g->rows);
  free (g->neighbours);
  free (g->distance);
  free (g);
  return 0;
}
