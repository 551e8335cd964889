/* Ranks in a ring send big heap blocks that are mapped before and after; blocks
   come and go, so that the same addresses are registered by MPI's transports and
   by the runtime again and again.  Prints a line for each rank.  */

#include <mpi.h>
#include <offmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = (8 << 20) / sizeof (int32_t), STRIDE = 4096, ROUNDS = 12 };

static void
check (int good, const char *what, int round)
{
  if (!good)
    {
      fprintf (stderr, "round %d: %s\n", round, what);
      MPI_Abort (MPI_COMM_WORLD, 1);
    }
}

/* Adds 1 to some elements on the device.  */
static void
touch (int32_t *x)
{
  #pragma omp target map(tofrom: x[0:N])
  for (int i = 0; i < N; i += STRIDE)
    x[i] += 1;
}

int
main (int argc, char **argv)
{
  int rank, size;
  struct offmem_stats stats;
  int32_t *kept = NULL;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;

  for (int round = 0; round < ROUNDS; round++)
    {
      int32_t *out = malloc (N * sizeof *out), *in = malloc (N * sizeof *in);
      for (int i = 0; i < N; i++)
        {
          out[i] = 1000 * round + 10 * rank + i % 7;
          in[i] = -1;
        }
      touch (out);
      MPI_Sendrecv (out, N, MPI_INT32_T, next, round, in, N, MPI_INT32_T, previous,
                    round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      /* What was sent may go while the other rank still computes.  */
      if (round % 3 == 0)
        {
          free (kept);
          kept = out;
        }
      else
        free (out);
      touch (in);
      for (int i = 0; i < N; i++)
        check (in[i] == 1000 * round + 10 * previous + i % 7 + (i % STRIDE == 0) * 2,
               "wrong data", round);
      if (round % 2)
        in = realloc (in, N * sizeof *in / 2);
      free (in);
    }
  free (kept);
  offmem_get_stats (&stats, sizeof stats);
  printf ("rank %d registrations %d limit %llu\n", rank, (int) stats.registrations,
          (unsigned long long) stats.limit_bytes);
  MPI_Finalize ();
  return 0;
}
