/* What device and host may do to memory: one case, named by the first
   argument.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than libgomp gathers in a buffer of its own before it copies.  */
#define N 20000

static int (*host_register) (void *, size_t, unsigned);
static int (*host_unregister) (void *);
static int (*managed_alloc) (int **, size_t, unsigned);
static int (*host_alloc) (int **, size_t, unsigned);

/* Adds and negates N ints at an address that the device uses as it is.  */

static int
use (int *p, int n)
{
  int sum = 0;
  #pragma omp target map(tofrom: sum) is_device_ptr(p)
  for (int i = 0; i < n; i++)
    {
      sum += p[i];
      p[i] = -p[i];
    }
  return sum;
}

/* Uses memory that holds 0 to N - 1 and tells what came out.  */

static void
use_filled (int *p)
{
  for (int i = 0; i < N; i++)
    p[i] = i;
  int sum = use (p, N);
  printf ("sum %d fifth %d\n", sum, p[5]);
}

static int *
pages (void *at, int value)
{
  int *p = mmap (at, N * sizeof *p, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
  for (int i = 0; i < N; i++)
    p[i] = value;
  return p;
}

/* What the device gets from and leaves in memory that was unmapped and
   mapped again.  */

static void
remap (int registered)
{
  int *p = pages (NULL, 1), seen = 0;
  if (registered)
    printf ("register %d\n", host_register (p, N * sizeof *p, 0));
  munmap (p, N * sizeof *p);
  pages (p, 2);
  #pragma omp target map(tofrom: p[0:N]) map(from: seen)
  {
    seen = p[7];
    p[7] = 3;
  }
  printf ("device saw %d host has %d\n", seen, p[7]);
}

/* Makes io_uring_setup fail, as container runtimes do.  */

static void
forbid_io_uring (void)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { sizeof code / sizeof *code, code };
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    perror ("seccomp");
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "";
  int *p = malloc (N * sizeof *p);

  if (omp_get_num_devices () == 0)
    return 77;
  void *driver = dlopen ("libcuda.so.1", RTLD_LAZY);
  host_register = dlsym (driver, "cuMemHostRegister_v2");
  host_unregister = dlsym (driver, "cuMemHostUnregister");
  managed_alloc = dlsym (driver, "cuMemAllocManaged");
  host_alloc = dlsym (driver, "cuMemHostAlloc");

  /* Makes the context that the calls below need.  */
  omp_target_free (omp_target_alloc (8, 0), 0);

  if (!strcmp (name, "registered"))
    {
      printf ("register %d\n", host_register (p, N * sizeof *p, 2));
      use_filled (p);
      printf ("again %d", host_register (p, N * sizeof *p, 0));
      printf (" unregister %d", host_unregister (p));
      printf (" again %d\n", host_unregister (p));
    }
  else if (!strcmp (name, "managed"))
    {
      printf ("managed %d\n", managed_alloc (&p, N * sizeof *p, 1));
      use_filled (p);
    }
  else if (!strcmp (name, "allocated"))
    {
      printf ("allocated %d\n", host_alloc (&p, N * sizeof *p, 0));
      use_filled (p);
    }
  else if (!strcmp (name, "plain"))
    use_filled (p);
  else if (!strcmp (name, "unregistered"))
    {
      host_register (p, N * sizeof *p, 2);
      use_filled (p);
      host_unregister (p);
      use_filled (p);
    }
  else if (!strcmp (name, "dereference"))
    *(volatile int *) omp_target_alloc (N * sizeof *p, 0) = 1;
  else if (!strcmp (name, "overrun"))
    use (omp_target_alloc (N * sizeof *p, 0), N + 1);
  else if (!strcmp (name, "freed"))
    {
      int *d = omp_target_alloc (N * sizeof *p, 0);
      omp_target_free (d, 0);
      use (d, N);
    }
  else if (!strcmp (name, "abort"))
    {
      #pragma omp target
      abort ();
    }
  else if (!strcmp (name, "stale"))
    {
      int x = 1, y = 0;
      #pragma omp target enter data map(to: x)
      x = 5;
      #pragma omp target map(from: y) map(alloc: x)
      y = x;
      printf ("y %d\n", y);
    }
  else if (!strcmp (name, "remapped"))
    remap (0);
  else if (!strcmp (name, "remapped-registered"))
    remap (1);
  else if (!strcmp (name, "remapped-without-io_uring"))
    {
      forbid_io_uring ();
      remap (1);
    }
  else if (!strcmp (name, "fork"))
    {
      int status, seen = 0;
      p = pages (NULL, 1);
      host_register (p, N * sizeof *p, 0);
      fflush (stdout);
      pid_t child = fork ();
      if (child == 0)
	{
	  printf ("child %d\n", host_register (&status, sizeof status, 0));
	  fflush (stdout);
	  _exit (0);
	}
      p[7] = 4;
      #pragma omp target map(to: p[0:N]) map(from: seen)
      seen = p[7];
      waitpid (child, &status, 0);
      printf ("parent saw %d\n", seen);
    }
  else
    return 2;
  return 0;
}
