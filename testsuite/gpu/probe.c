/* What a CUDA driver does with registered host memory: `probe device`, `probe
   rules`, `probe rule NAME`, `probe costs`, `probe copies`.  The status is 77
   where there is no GPU, and 1 if a rule is not as softcuda has it.  */

#define _GNU_SOURCE
#include "probe.h"
#include "driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double
seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

size_t
next_size (size_t size, size_t most, double begin, double start, double limit)
{
  double now = seconds ();
  size_t next = size * (size < 1024 * MIB ? 4 : 2);
  if (next > most)
    return 0;
  if (now - begin + (now - start) * (next / size) > limit)
    {
      printf ("(no larger sizes: they would take too long)\n");
      return 0;
    }
  return next;
}

void *
mapped (size_t size)
{
  void *p = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    {
      perror ("probe: mmap");
      exit (2);
    }
  return p;
}

size_t
room (void)
{
  char line[128];
  size_t kib = 0;
  FILE *file = fopen ("/proc/meminfo", "r");
  while (file && kib == 0 && fgets (line, sizeof line, file))
    sscanf (line, "MemAvailable: %zu", &kib);
  if (file)
    fclose (file);
  return kib * 1024 / 4;
}

void
result (const char *format, ...)
{
  const char *name = getenv ("GPU_KIT_RESULTS");
  FILE *file = name && *name ? fopen (name, "a") : NULL;
  va_list arguments;

  if (file == NULL)
    return;
  va_start (arguments, format);
  vfprintf (file, format, arguments);
  va_end (arguments);
  putc ('\n', file);
  fclose (file);
}

/* The answers that decide which rules matter.  */
static const struct { const char *name; int number; } attributes[] = {
  { "can_use_host_pointer_for_registered_memory", 91 },
  { "concurrent_managed_access", 89 },
  { "host_register_supported", 99 },
  { "pageable_memory_access", 88 },
  { "pageable_memory_access_uses_host_page_tables", 100 },
  { "read_only_host_register_supported", 113 },
};

static int
device (void)
{
  CUdevice device;
  char name[128] = "";
  int version = 0;
  size_t memory = 0;

  MUST (cu.device_get (&device, 0));
  MUST (cu.device_name (name, sizeof name, device));
  MUST (cu.version (&version));
  MUST (cu.device_memory (&memory, device));
  printf ("%s, %zu MiB, CUDA %d.%d\n", name, memory >> 20, version / 1000, version % 1000 / 10);
  result ("{\"kind\": \"device\", \"name\": \"%s\", \"memory_bytes\": %zu, \"cuda\": %d}",
	  name, memory, version);
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    {
      int value = -1;
      cu.device_attribute (&value, attributes[i].number, device);
      printf ("  %-46s %d\n", attributes[i].name, value);
      result ("{\"kind\": \"attribute\", \"name\": \"%s\", \"value\": %d}",
	      attributes[i].name, value);
    }
  return 0;
}

/* Runs a rule in a process that it may ruin, and reads its one line.  */
static void
find (const char *name, char *found, size_t room)
{
  int pipes[2], status;
  if (pipe (pipes) != 0)
    exit (2);
  fflush (stdout);
  pid_t child = fork ();
  if (child == 0)
    {
      dup2 (pipes[1], 1);
      close (pipes[0]);
      close (pipes[1]);
      /* A driver that waits for ever is an answer too.  */
      alarm (60);
      execl ("/proc/self/exe", "probe", "rule", name, (char *) NULL);
      _exit (2);
    }
  close (pipes[1]);
  FILE *output = fdopen (pipes[0], "r");
  if (fgets (found, room, output) == NULL)
    *found = '\0';
  found[strcspn (found, "\n")] = '\0';
  fclose (output);
  waitpid (child, &status, 0);
  if (WIFSIGNALED (status))
    snprintf (found, room, "signal %d", WTERMSIG (status));
  else if (WEXITSTATUS (status) != 0)
    snprintf (found, room, "failure");
}

static int
all_rules (void)
{
  int different = 0;
  for (const struct rule *rule = rules; rule->name; rule++)
    {
      char found[64];
      find (rule->name, found, sizeof found);
      const char *verdict = "no opinion";
      if (rule->expected)
	verdict = strcmp (found, rule->expected) == 0 ? "confirmed" : "DIFFERENT";
      different += strcmp (verdict, "DIFFERENT") == 0;
      printf ("%-28s expected %-10s found %-10s %s\n", rule->name,
	      rule->expected ? rule->expected : "-", found, verdict);
      result ("{\"kind\": \"rule\", \"name\": \"%s\", \"expected\": \"%s\", \"found\": \"%s\", "
	      "\"verdict\": \"%s\"}",
	      rule->name, rule->expected ? rule->expected : "", found, verdict);
    }
  return different > 0;
}

int
main (int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  const char *most = getenv ("GPU_KIT_MOST_MIB");
  size_t most_bytes = (most && *most ? strtoul (most, NULL, 10) : 4096) * MIB;

  /* What is there when time is up has been written.  */
  setvbuf (stdout, NULL, _IOLBF, 0);
  /* The processes of the rules start the driver themselves.  */
  if (!strcmp (what, "rules"))
    return all_rules ();
  const char *missing = driver_start ();
  if (missing)
    {
      printf ("no GPU: %s\n", missing);
      return 77;
    }
  if (most_bytes > room ())
    most_bytes = room ();
  if (!strcmp (what, "device"))
    return device ();
  driver_context ();
  if (!strcmp (what, "costs"))
    costs (most_bytes);
  else if (!strcmp (what, "copies"))
    copies (most_bytes);
  else if (!strcmp (what, "rule") && argc > 2)
    {
      for (const struct rule *rule = rules; rule->name; rule++)
	if (!strcmp (rule->name, argv[2]))
	  {
	    puts (rule->find ());
	    /* The driver's own end is not what is asked about.  */
	    fflush (stdout);
	    _exit (0);
	  }
      return 2;
    }
  else
    return 2;
  return 0;
}
