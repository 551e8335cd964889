//! Whole programs that offload to softcuda, with the option and without it.
//!
//! What registration gains is measured on a modelled machine, an H100 on PCIe
//! 5, whose copies and registrations last (`SOFTCUDA_PACE`) as long as the
//! model says, ten times over: software is not faster than that. What a call
//! costs more is measured without a model.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, succeed};
use tempfile::TempDir;

use crate::Figure;
use crate::measure::{alternate, wall_seconds};

/// Allocate, touch, map, free: what solvers do that keep no buffers.
const LOOP: &str = r"
#include <stdlib.h>
#include <string.h>

int
main (void)
{
  enum { N = 8 << 20 };
  for (int k = 0; k < 16; k++)
    {
      char *x = malloc (N);
      memset (x, k, N);
      #pragma omp target map(tofrom: x[0:N])
      x[k]++;
      if (x[k] != k + 1)
        return 1;
      free (x);
    }
  return 0;
}
";

/// Buffers that are copied to the device once, and never again.
const ONCE: &str = r"
#include <stdlib.h>
#include <string.h>

int
main (void)
{
  enum { N = 8 << 20, COUNT = 16 };
  char *x[COUNT];
  for (int k = 0; k < COUNT; k++)
    memset (x[k] = malloc (N), k, N);
  for (int k = 0; k < COUNT; k++)
    {
      char *p = x[k];
      #pragma omp target enter data map(to: p[0:N])
    }
  return 0;
}
";

/// Nanoseconds for an entry that is mapped and registered already, by a call
/// that does nothing else: what eight take longer than one.
const ENTRIES: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 256 << 10, CALLS = 5000 };
static char *a, *b, *c, *d, *e, *f, *g, *h;

static void
one (void)
{
  #pragma omp target enter data map(to: a[0:N])
}

static void
eight (void)
{
  #pragma omp target enter data map(to: a[0:N], b[0:N], c[0:N], d[0:N], e[0:N], f[0:N], g[0:N], h[0:N])
}

static double
least (void (*map) (void))
{
  struct timespec start, end;
  double least = 1e9;
  for (int round = 0; round < 20; round++)
    {
      clock_gettime (CLOCK_MONOTONIC, &start);
      for (int k = 0; k < CALLS; k++)
        map ();
      clock_gettime (CLOCK_MONOTONIC, &end);
      double ns = (end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec);
      if (ns < least)
        least = ns;
    }
  return least / CALLS;
}

int
main (void)
{
  char **all[] = { &a, &b, &c, &d, &e, &f, &g, &h };
  for (int k = 0; k < 8; k++)
    *all[k] = calloc (N, 1);
  eight ();
  printf ("%f\n", (least (eight) - least (one)) / 7);
  return 0;
}
"#;

/// Nanoseconds for a target region with four entries that are mapped and
/// registered already.
const REGIONS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int
main (void)
{
  enum { N = 256 << 10, CALLS = 300 };
  struct timespec start, end;
  char *a = calloc (N, 1), *b = calloc (N, 1), *c = calloc (N, 1), *d = calloc (N, 1);
  #pragma omp target enter data map(to: a[0:N], b[0:N], c[0:N], d[0:N])
  double least = 1e9;
  for (int round = 0; round < 20; round++)
    {
      clock_gettime (CLOCK_MONOTONIC, &start);
      for (int k = 0; k < CALLS / 20; k++)
        {
          #pragma omp target map(to: a[0:N], b[0:N], c[0:N], d[0:N])
          a[0] = b[0] + c[0] + d[0];
        }
      clock_gettime (CLOCK_MONOTONIC, &end);
      double ns = (end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec);
      if (ns < least)
        least = ns;
    }
  printf ("%f\n", least / (CALLS / 20));
  return 0;
}
"#;

/// Seconds for page-locking memory that was never touched, by the driver alone
/// (without an argument) or by the runtime, which brings the pages in before.
const UNTOUCHED: &str = r#"
#include <dlfcn.h>
#include <offmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

int
main (int argc, char **argv)
{
  const size_t n = 256 << 20;
  struct timespec start, end;
  int x = 0, error;
  #pragma omp target map(tofrom: x)
  x = 1;
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  int (*register_host) (void *, size_t, unsigned) = dlsym (library, "cuMemHostRegister_v2");
  char *p = mmap (NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  clock_gettime (CLOCK_MONOTONIC, &start);
  error = argc > 1 ? offmem_pin (p, n) : register_host (p, n, 1);
  clock_gettime (CLOCK_MONOTONIC, &end);
  printf ("%f\n", (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) * 1e-9);
  return error;
}
"#;

pub(crate) fn figures() -> Vec<Figure> {
    let folder = TempDir::new().expect("a temporary folder");
    let programs = |name: &str, text: &str| Programs::new(folder.path(), name, text);
    let gained = |programs: &Programs, rounds| {
        let run = |program: &Path| {
            let mut command = offloading(program);
            wall_seconds(command.env("SOFTCUDA_COSTS", "h100-pcie").env("SOFTCUDA_PACE", "10"))
        };
        let (stock, ours) = alternate(rounds, || run(&programs.stock), || run(&programs.ours));
        ours / stock
    };
    let printed = |program: &Path| -> f64 {
        let mut command = offloading(program);
        let output = succeed(command.env("OFFMEM_POLICY", "eager").env("SOFTCUDA_THREADS", "1"));
        output.trim().parse().expect("a number")
    };
    let entries = programs("entries", ENTRIES);
    let (stock, ours) = alternate(30, || printed(&entries.stock), || printed(&entries.ours));
    let entry = ours - stock;
    let regions = programs("regions", REGIONS);
    let (stock, ours) = alternate(60, || printed(&regions.stock), || printed(&regions.ours));
    let region = ours / stock;
    let untouched = compile(folder.path(), "untouched", UNTOUCHED, PINNED);
    let locked = |by_us: bool| -> f64 {
        let mut command = offloading(&untouched);
        succeed(command.args(by_us.then_some("us"))).trim().parse().expect("a number")
    };
    let (driver, ours) = alternate(7, || locked(false), || locked(true));
    vec![
        Figure { name: "an entry that is registered already, ns more", ratio: entry, limit: 30.0 },
        Figure { name: "a region with four such entries", ratio: region, limit: 1.02 },
        Figure {
            name: "page-locking untouched memory, to the driver alone",
            ratio: ours / driver,
            limit: 1.0,
        },
        Figure {
            name: "h100-pcie: allocate, touch, map, free in a loop",
            ratio: gained(&programs("loop", LOOP), 3),
            limit: 0.5,
        },
        Figure {
            name: "h100-pcie: buffers copied once",
            ratio: gained(&programs("once", ONCE), 9),
            limit: 1.0 / 0.98,
        },
    ]
}

/// A program without the option, and with it.
struct Programs {
    stock: PathBuf,
    ours: PathBuf,
}

impl Programs {
    fn new(folder: &Path, name: &str, text: &str) -> Programs {
        Programs {
            stock: compile(folder, &format!("{name}-stock"), text, &[]),
            ours: compile(folder, &format!("{name}-ours"), text, PINNED),
        }
    }
}

const PINNED: &[&str] = &["-foffload-memory=pinned"];

fn compile(folder: &Path, name: &str, text: &str, options: &[&str]) -> PathBuf {
    let program = folder.join(name);
    let source = program.with_extension("c");
    fs::write(&source, text).expect("a file");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args(["-O2", "-fopenmp", "-no-pie"]).args(options);
    succeed(Stage::get().enter(gcc.arg(&source).arg("-o").arg(&program)));
    program
}

fn offloading(program: &Path) -> Command {
    let mut command = Command::new(program);
    Stage::get().enter_softcuda(&mut command);
    command
}
