/* What an OpenMP program gets: the same source as stock GCC compiles it and
   with -foffload-memory=pinned.  It knows nothing of how memory is pinned.
   `bandwidth NAME`; the name goes into the results.  */

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB ((size_t) 1 << 20)
/* LIMIT: of seconds.  */
enum { REUSES = 16, SINGLES = 3, LIMIT = 45 };

static const char *program;

static void
result (const char *use, const char *direction, size_t size, double taken)
{
  const char *name = getenv ("GPU_KIT_RESULTS");
  FILE *file = name && *name ? fopen (name, "a") : NULL;

  printf ("%8zu MiB %-4s %-6s %-8s %8.2f GB/s\n", size / MIB, direction, use, program,
	  size / taken * 1e-9);
  if (file == NULL)
    return;
  fprintf (file,
	   "{\"kind\": \"offload\", \"program\": \"%s\", \"use\": \"%s\", \"direction\": \"%s\", "
	   "\"size\": %zu, \"gbps\": %.3f}\n",
	   program, use, direction, size, size / taken * 1e-9);
  fclose (file);
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static double
median (double *times, int n)
{
  qsort (times, n, sizeof *times, compare);
  return times[n / 2];
}

static char *
filled (size_t size, int value)
{
  char *p = malloc (size);
  if (p == NULL)
    {
      fputs ("bandwidth: out of memory\n", stderr);
      exit (2);
    }
  return memset (p, value, size);
}

static void
wrong (const char *what)
{
  fprintf (stderr, "bandwidth: %s\n", what);
  exit (1);
}

/* One buffer that is copied again and again: the later half counts, when
   whatever is learnt has been learnt.  */
static void
reuse (size_t size)
{
  char *p = filled (size, 1);
  double times[REUSES];

  #pragma omp target enter data map(alloc: p[0:size])
  for (int i = 0; i < REUSES; i++)
    {
      p[size - 1] = i;
      double start = omp_get_wtime ();
      #pragma omp target update to(p[0:size])
      times[i] = omp_get_wtime () - start;
    }
  result ("reuse", "to", size, median (times + REUSES / 2, REUSES / 2));
  for (int i = 0; i < REUSES; i++)
    {
      p[size - 1] = 99;
      double start = omp_get_wtime ();
      #pragma omp target update from(p[0:size])
      times[i] = omp_get_wtime () - start;
      if (p[size - 1] != REUSES - 1 || p[0] != 1)
	wrong ("a byte did not arrive");
    }
  result ("reuse", "from", size, median (times + REUSES / 2, REUSES / 2));
  #pragma omp target exit data map(release: p[0:size])
  free (p);
}

/* BUFFERS that are mapped once, one way.  */
static void
single (char **buffers, size_t size, int back)
{
  double times[SINGLES];

  for (int i = 0; i < SINGLES; i++)
    {
      char *p = buffers[i];
      double start = omp_get_wtime ();
      if (back)
	{
	  #pragma omp target enter data map(alloc: p[0:size])
	  #pragma omp target map(alloc: p[0:size])
	  p[size - 1] = 2;
	  #pragma omp target exit data map(from: p[0:size])
	}
      else
	{
	  #pragma omp target enter data map(to: p[0:size])
	  #pragma omp target exit data map(release: p[0:size])
	}
      times[i] = omp_get_wtime () - start;
      if (p[size - 1] != (back ? 2 : 1))
	wrong ("a byte did not arrive");
    }
  result ("single", back ? "from" : "to", size, median (times, SINGLES));
}

/* All buffers of a size exist before the first is mapped, so that none has
   been mapped before in whatever place it has.  */
static void
singles (size_t size)
{
  char *buffers[2 * SINGLES];
  for (int i = 0; i < 2 * SINGLES; i++)
    buffers[i] = filled (size, 1);
  single (buffers, size, 0);
  single (buffers + SINGLES, size, 1);
  for (int i = 0; i < 2 * SINGLES; i++)
    free (buffers[i]);
}

int
main (int argc, char **argv)
{
  const char *most = getenv ("GPU_KIT_MOST_MIB");
  size_t most_bytes = (most && *most ? strtoul (most, NULL, 10) : 2048) * MIB;
  size_t there = (size_t) sysconf (_SC_AVPHYS_PAGES) * sysconf (_SC_PAGESIZE);
  int host = 1;

  /* The buffers of single use are there at the same time.  */
  if (most_bytes > there / 8)
    most_bytes = there / 8;
  program = argc > 1 ? argv[1] : "stock";
  #pragma omp target map(from: host)
  host = omp_is_initial_device ();
  if (omp_get_num_devices () == 0 || host)
    wrong ("libgomp has no device");
  setvbuf (stdout, NULL, _IOLBF, 0);
  double begin = omp_get_wtime (), start = begin;
  for (size_t size = MIB, next; size <= most_bytes && size <= 2048 * MIB; size = next)
    {
      next = size * (size < 1024 * MIB ? 4 : 2);
      double now = omp_get_wtime ();
      /* The last size tells how long this one will take.  */
      if (now - begin + 4 * (now - start) > LIMIT)
	{
	  printf ("(no larger sizes: they would take too long)\n");
	  break;
	}
      start = now;
      singles (size);
      reuse (size);
    }
  return 0;
}
