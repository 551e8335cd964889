/* A program of stock GCC that does what its first argument says; see run.rs.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long
locked_kib (void)
{
  char line[256];
  long kib = -1;
  FILE *status = fopen ("/proc/self/status", "r");
  while (fgets (line, sizeof line, status))
    sscanf (line, "VmLck: %ld", &kib);
  fclose (status);
  return kib;
}

int
main (int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";

  if (omp_get_max_threads () < 1)
    abort ();
  if (!strcmp (what, "exit"))
    return atoi (argv[2]);
  else if (!strcmp (what, "raise"))
    raise (atoi (argv[2]));
  else if (!strcmp (what, "arguments"))
    for (int i = 0; i < argc; i++)
      puts (argv[i]);
  else if (!strcmp (what, "cat"))
    for (int c; (c = getchar ()) != EOF; )
      putchar (c);
  else if (!strcmp (what, "streams"))
    printf ("%d%d%d\n", isatty (0), isatty (1), isatty (2));
  else if (!strcmp (what, "pid"))
    printf ("%d\n", getpid ());
  else if (!strcmp (what, "variable"))
    puts (getenv (argv[2]) ? getenv (argv[2]) : "(none)");
  else if (!strcmp (what, "runtime"))
    {
      Dl_info info;
      void *there = dlsym (RTLD_DEFAULT, "offmem_enable");
      puts (there && dladdr (there, &info) ? info.dli_fname : "(none)");
    }
  else if (!strcmp (what, "locked"))
    puts (locked_kib () > 0 ? "locked" : "not locked");
  else if (!strcmp (what, "offload"))
    {
      int n = 100000, host = 1, *p = malloc (n * sizeof *p);
      for (int i = 0; i < n; i++)
	p[i] = i;
      #pragma omp target map(tofrom: p[0:n]) map(from: host)
      {
	host = omp_is_initial_device ();
	for (int i = 0; i < n; i += 1000)
	  p[i]++;
      }
      printf ("%s %d\n", host ? "host" : "device", p[99000]);
      free (p);
    }
  return 0;
}
