/* Run a program again in the place of an ordinary user on an ordinary
   machine: without CAP_IPC_LOCK, and with a limit of 64 KiB on memory that may be
   locked.  */

#ifndef LIMITED_H
#define LIMITED_H

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether this is the process that run_limited started.  */

static int
is_limited (void)
{
  return getenv ("OFFMEM_TEST_LIMITED") != NULL;
}

/* Give up CAP_IPC_LOCK for ever.  A process that has no right to change its
   bounding set has no capability either, so a refusal is fine.  */

static void
drop_ipc_lock (void)
{
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2];

  prctl (PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0);
  prctl (PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (syscall (SYS_capget, &header, data) != 0)
    abort ();
  data[0].effective &= ~(1u << CAP_IPC_LOCK);
  data[0].permitted &= ~(1u << CAP_IPC_LOCK);
  data[0].inheritable &= ~(1u << CAP_IPC_LOCK);
  if (syscall (SYS_capset, &header, data) != 0)
    abort ();
}

/* Start this program again with a soft limit of 64 KiB below HARD; return in the
   second one only.  */

static void
run_limited (char **argv, rlim_t hard)
{
  struct rlimit limit = { 65536, hard };

  if (is_limited ())
    return;
  if (setrlimit (RLIMIT_MEMLOCK, &limit) != 0)
    exit (2);
  drop_ipc_lock ();
  setenv ("OFFMEM_TEST_LIMITED", "1", 1);
  execv ("/proc/self/exe", argv);
  abort ();
}

#endif
