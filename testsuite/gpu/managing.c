/* What managed memory is to a program, and for how long.  */

#define _GNU_SOURCE
#include "rules.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static CUdeviceptr
managed (size_t size)
{
  CUdeviceptr p;
  MUST (cu.manage (&p, size, ATTACH_GLOBAL));
  return p;
}

static sigjmp_buf back;

static void
fault (int number)
{
  siglongjmp (back, number);
}

/* Whether the host may use what is at P.  */
static const char *
touched (CUdeviceptr p)
{
  signal (SIGSEGV, fault);
  signal (SIGBUS, fault);
  if (sigsetjmp (back, 1) != 0)
    return "fault";
  ++*(volatile char *) p;
  return "there";
}

const char *
managed_freed (void)
{
  CUdeviceptr p = managed (4 * SIZE);
  *(volatile char *) p = 1;
  MUST (cu.free (p));
  return touched (p);
}

const char *
managed_context (void)
{
  CUcontext context = driver_context ();
  CUdeviceptr p = managed (4 * SIZE);
  *(volatile char *) p = 1;
  MUST (cu.context_destroy (context));
  return touched (p);
}

const char *
managed_fork (void)
{
  CUdeviceptr p = managed (SIZE);
  int status = -1;
  *(volatile char *) p = 1;
  pid_t child = fork ();
  if (child == 0)
    _exit (strcmp (touched (p), "there") == 0);
  waitpid (child, &status, 0);
  return status == 0 ? "fault" : "there";
}

const char *
managed_aligned (void)
{
  return managed (2 * SIZE) % (2 * MIB) == 0 ? "aligned" : "not aligned";
}

/* Two allocations without a gap are two for a copy all the same.  */
const char *
managed_adjacent (void)
{
  CUdeviceptr first = managed (2 * SIZE), second = managed (2 * SIZE);
  CUdeviceptr low = first < second ? first : second;
  if (low + 2 * SIZE != first && low + 2 * SIZE != second)
    return "a gap";
  return status (cu.to_device (device_memory (2 * SIZE), (void *) (low + SIZE), 2 * SIZE));
}

const char *
managed_itself (void)
{
  CUdeviceptr p = managed (SIZE);
  return status (cu.to_device (p, (void *) p, SIZE));
}

const char *
managed_prefetch (void)
{
  return status (cu.prefetch (managed (SIZE), SIZE, 0, NULL));
}

const char *
managed_prefetch_beyond (void)
{
  return status (cu.prefetch (managed (4 * SIZE), 4 * SIZE + PAGE, 0, NULL));
}

const char *
managed_prefetch_plain (void)
{
  return status (cu.prefetch ((CUdeviceptr) filled (SIZE, 1), SIZE, 0, NULL));
}

const char *
managed_advice (void)
{
  return status (cu.advise (managed (SIZE), SIZE, ADVISE_PREFERRED_LOCATION, -1));
}
