/* Offloads blocks that another library registers too: before, after, and for some
   of the time.  argv[1] is what it gets for a block that the runtime has registered:
   0, since the runtime makes room, or the driver's 712.  */

#include <offmem.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int registrar_add (void *, size_t);
extern int registrar_remove (void *);

enum { N = 1 << 20, ALREADY_REGISTERED = 712 };

static void
check (int good, const char *what, int round)
{
  if (!good)
    {
      fprintf (stderr, "round %d: %s\n", round, what);
      exit (1);
    }
}

/* Adds ADD to some elements on the device.  */
static void
offload (unsigned char *x, int add)
{
  #pragma omp target map(tofrom: x[0:N])
  for (int i = 0; i < N; i += 1024)
    x[i] += add;
}

static void
check_sum (const unsigned char *x, int expected, int round)
{
  for (int i = 0; i < N; i++)
    check (x[i] == (unsigned char) (i % 1024 ? round : round + expected), "wrong data", round);
}

int
main (int argc, char **argv)
{
  int refused = argc > 1 ? atoi (argv[1]) : 0;
  struct offmem_stats stats;

  /* The context in which both register.  */
  #pragma omp target
  ;
  for (int round = 0; round < 20; round++)
    {
      unsigned char *x = malloc (N);
      memset (x, round, N);

      /* Theirs, with ours before, on a block that may be recycled.  */
      if (round % 2)
        offload (x, 1);
      int status = registrar_add (x, N);
      check (status == 0 || status == refused, "their registration failed", round);
      offload (x, 1);
      check (offmem_is_pinned (x, N) == 1, "nobody has it pinned", round);
      if (status == 0)
        check (registrar_remove (x) == 0, "their registration is gone", round);
      offload (x, 1);
      check_sum (x, round % 2 ? 3 : 2, round);
      free (x);

      /* A block that they forget: it is freed while they have it.  */
      if (round % 5 == 4)
        {
          x = malloc (N);
          memset (x, round, N);
          status = registrar_add (x, N);
          offload (x, 1);
          check_sum (x, 1, round);
          if (status == 0)
            check (registrar_remove (x) == 0, "their registration is gone", round);
          free (x);
        }
    }
  offmem_get_stats (&stats, sizeof stats);
  printf ("registrations %d adoptions %d failures %d\n", (int) stats.registrations,
          (int) stats.adoptions, (int) stats.failures);
  return omp_get_num_devices () != 1;
}
