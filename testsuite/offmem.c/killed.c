/* A process that is killed while it offloads from registered blocks ends by that
   signal, and one that handles the signal goes on: the handler interrupts copies
   and registrations at any place, and maps memory itself.  */
/* { dg-do run } */
/* { dg-output {^killed\n$} } */

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1 << 20 };

extern char **environ;
static volatile sig_atomic_t count;

/* What is safe in a handler, and hooked: mappings.  */
static void
on_alarm (int number)
{
  char *page = mmap (NULL, N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    _exit (number);
  page[count % N] = 1;
  munmap (page, N);
  count++;
}

static void
offload (int round)
{
  unsigned char *x = round % 2 ? malloc (N + 4096 * round % 50)
    : mmap (NULL, N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset (x, round, N);
  #pragma omp target map(tofrom: x[0:N])
  for (int i = 0; i < N; i += 4096)
    x[i] += 1;
  for (int i = 0; i < N; i++)
    if (x[i] != (unsigned char) (round + (i % 4096 == 0)))
      abort ();
  if (round % 2)
    free (x);
  else
    munmap (x, N);
}

int
main (int argc, char **argv)
{
  if (argc > 1)
    {
      for (int round = 0;; round++)
        {
          offload (round);
          if (round == 2)
            write (1, "", 1);
        }
    }

  int channel[2], status;
  char byte;
  pid_t child;
  char *arguments[] = { argv[0], "child", NULL };
  posix_spawn_file_actions_t actions;
  if (pipe (channel) != 0)
    abort ();
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, channel[1], 1);
  if (posix_spawn (&child, "/proc/self/exe", &actions, NULL, arguments, environ) != 0)
    abort ();
  close (channel[1]);
  if (read (channel[0], &byte, 1) != 1 || kill (child, SIGKILL) != 0
      || waitpid (child, &status, 0) != child || !WIFSIGNALED (status))
    abort ();
  puts ("killed");

  struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
  struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
  sigaction (SIGALRM, &action, NULL);
  setitimer (ITIMER_REAL, &often, NULL);
  for (int round = 0; round < 40; round++)
    offload (round);
  return count == 0;
}
