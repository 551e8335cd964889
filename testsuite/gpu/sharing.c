/* What other processes, contexts and threads see of a registration.  */

#define _GNU_SOURCE
#include "rules.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What WHAT (P) is in a child of this process.  */
static int
in_child (int (*what) (char *), char *p)
{
  int pipes[2], value = -1;
  if (pipe (pipes) != 0)
    exit (2);
  pid_t child = fork ();
  if (child == 0)
    {
      value = what (p);
      _exit (write (pipes[1], &value, sizeof value) != sizeof value);
    }
  close (pipes[1]);
  if (read (pipes[0], &value, sizeof value) != sizeof value)
    value = -1;
  waitpid (child, NULL, 0);
  return value;
}

static int
register_here (char *p)
{
  return cu.host_register (p, SIZE, 0);
}

static int
first_byte (char *p)
{
  return *p;
}

const char *
fork_child (void)
{
  return status (in_child (register_here, filled (SIZE, 1)));
}

const char *
fork_child_memory (void)
{
  return in_child (first_byte, registered (SIZE, 1)) == 1 ? "there" : "gone";
}

const char *
fork_parent (void)
{
  int gate[2];
  char byte, *p = registered (SIZE, 1);
  if (pipe (gate) != 0)
    return "failure";
  pid_t child = fork ();
  if (child == 0)
    {
      close (gate[1]);
      _exit (read (gate[0], &byte, 1) != 0);
    }
  /* While the child has the pages too.  */
  memset (p, 2, SIZE);
  const char *found = age (device_sees (p, SIZE));
  close (gate[1]);
  waitpid (child, NULL, 0);
  return found;
}

/* What the driver says of P.  */
static const char *
attribute (int number, void *p)
{
  static char digits[16];
  unsigned long long value = 0;
  CUresult result = cu.pointer_attribute (&value, number, (CUdeviceptr) p);
  if (result != 0)
    snprintf (digits, sizeof digits, "error %d", result);
  else if (number == POINTER_MEMORY_TYPE && (unsigned) value == MEMORY_TYPE_HOST)
    return "host";
  else
    snprintf (digits, sizeof digits, "value %u", (unsigned) value & 0xff);
  return digits;
}

const char *
pointer_registered (void)
{
  return attribute (POINTER_MEMORY_TYPE, registered (SIZE, 1) + SIZE - 1);
}

const char *
pointer_plain (void)
{
  return attribute (POINTER_MEMORY_TYPE, filled (SIZE, 1));
}

const char *
pointer_after (void)
{
  char *p = registered (SIZE, 1);
  MUST (cu.host_unregister (p));
  return attribute (POINTER_MEMORY_TYPE, p);
}

const char *
pointer_behind (void)
{
  return attribute (POINTER_MEMORY_TYPE, half () + SIZE);
}

const char *
pointer_managed (void)
{
  CUdeviceptr p;
  MUST (cu.manage (&p, SIZE, ATTACH_GLOBAL));
  return attribute (POINTER_IS_MANAGED, (void *) p);
}

const char *
other_context (void)
{
  char *p = filled (SIZE, 1);
  MUST (cu.host_register (p, SIZE, REGISTER_PORTABLE));
  driver_context ();
  return attribute (POINTER_MEMORY_TYPE, p);
}

const char *
other_context_unregister (void)
{
  char *p = filled (SIZE, 1);
  MUST (cu.host_register (p, SIZE, REGISTER_PORTABLE));
  driver_context ();
  return status (cu.host_unregister (p));
}

/* A context takes its registrations with it.  */
const char *
context_destroyed (void)
{
  char *p = filled (SIZE, 1);
  CUcontext context = driver_context ();
  MUST (cu.host_register (p, SIZE, REGISTER_PORTABLE));
  MUST (cu.context_destroy (context));
  driver_context ();
  return status (cu.host_register (p, SIZE, 0));
}

const char *
push_pop (void)
{
  CUcontext first, second, current, popped;
  MUST (cu.context_current (&first));
  second = driver_context ();
  MUST (cu.context_push (first));
  MUST (cu.context_current (&current));
  MUST (cu.context_pop (&popped));
  if (current != first || popped != first)
    return "wrong";
  MUST (cu.context_current (&current));
  return current == second ? "restored" : "wrong";
}

static void *
register_without_context (void *p)
{
  return (void *) status (cu.host_register (p, SIZE, REGISTER_PORTABLE));
}

static void *
unregister_without_context (void *p)
{
  return (void *) status (cu.host_unregister (p));
}

static const char *
in_thread (void *(*what) (void *), char *p)
{
  pthread_t thread;
  void *found = "failure";
  if (pthread_create (&thread, NULL, what, p) == 0)
    pthread_join (thread, &found);
  return found;
}

const char *
no_context_register (void)
{
  return in_thread (register_without_context, filled (SIZE, 1));
}

const char *
no_context_unregister (void)
{
  return in_thread (unregister_without_context, registered (SIZE, 1));
}
