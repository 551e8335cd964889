// Handlers of atexit and destructors of static objects offload, when libgomp has
// ended the device already: on the host then, from blocks that were registered.
// { dg-do run }
// { dg-set-target-env-var OFFMEM_POLICY "eager" }
// { dg-output {^device\natexit\ndestructor\n$} }

#include <cstdio>
#include <cstdlib>
#include <cstring>

static const int N = 1 << 20;

static void
offload (unsigned char *x, const char *line)
{
  unsigned char before = x[0];
  #pragma omp target map(tofrom: x[0:N])
  for (int i = 0; i < N; i += 4096)
    x[i] += 1;
  for (int i = 0; i < N; i++)
    if (x[i] != (unsigned char) (i % 4096 ? 7 : before + 1))
      abort ();
  puts (line);
  fflush (stdout);
}

static struct Block
{
  unsigned char *x;
  Block () : x (new unsigned char[N]) { memset (x, 7, N); }
  ~Block ()
  {
    offload (x, "destructor");
    delete[] x;
    // Memory goes and comes after the driver, too.
    x = static_cast<unsigned char *> (malloc (2 * N));
    memset (x, 1, 2 * N);
    free (x);
  }
} block;

static void
at_exit ()
{
  offload (block.x, "atexit");
}

int
main ()
{
  atexit (at_exit);
  offload (block.x, "device");
  return 0;
}
