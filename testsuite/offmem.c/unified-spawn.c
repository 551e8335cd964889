/* vfork, posix_spawn, system and popen, with arguments and an environment in unified memory.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 1024 } */
/* { dg-output {^child of vfork\nchild of posix_spawn\nchild of system\n$} } */

#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../offmem.c-c++-common/unified.h"

static void
expect_end (pid_t child)
{
  int status;
  if (waitpid (child, &status, 0) != child || status != 0)
    abort ();
}

int
main (void)
{
  char **arguments = malloc (4 * sizeof *arguments);
  char **environment = malloc (2 * sizeof *environment);
  char *command = strdup ("echo child of $name"), line[64] = "";
  pid_t child;

  arguments[0] = strdup ("sh");
  arguments[1] = strdup ("-c");
  arguments[2] = command;
  arguments[3] = NULL;
  environment[0] = strdup ("name=vfork");
  environment[1] = NULL;
  expect_shared (command, strlen (command) + 1);
  child = vfork ();
  if (child == 0)
    {
      execve ("/bin/sh", arguments, environment);
      _exit (1);
    }
  expect_end (child);
  strcpy (environment[0] = realloc (environment[0], 20), "name=posix_spawn");
  if (posix_spawn (&child, "/bin/sh", NULL, NULL, arguments, environment) != 0)
    abort ();
  expect_end (child);
  setenv ("name", "system", 1);
  if (system (command) != 0)
    abort ();
  FILE *pipe = popen (command, "r");
  if (fgets (line, sizeof line, pipe) == NULL || strcmp (line, "child of system\n") != 0
      || pclose (pipe) != 0)
    abort ();
  expect_shared (command, strlen (command) + 1);
  free (command);
  return 0;
}
