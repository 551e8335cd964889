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
    vec![
        Figure { name: "an entry that is registered already, ns more", ratio: entry, limit: 30.0 },
        Figure { name: "a region with four such entries", ratio: ours / stock, limit: 1.02 },
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

struct Programs {
    stock: PathBuf,
    ours: PathBuf,
}

impl Programs {
    fn new(folder: &Path, name: &str, text: &str) -> Programs {
        let source = folder.join(format!("{name}.c"));
        fs::write(&source, text).expect("a file");
        let compile = |options: &[&str], kind: &str| {
            let program = folder.join(format!("{name}-{kind}"));
            let mut gcc = Compiler::of(Language::C).command();
            gcc.args(["-O2", "-fopenmp", "-no-pie"]).args(options);
            succeed(Stage::get().enter(gcc.arg(&source).arg("-o").arg(&program)));
            program
        };
        Programs {
            stock: compile(&[], "stock"),
            ours: compile(&["-foffload-memory=pinned"], "ours"),
        }
    }
}

fn offloading(program: &Path) -> Command {
    let mut command = Command::new(program);
    Stage::get().enter_softcuda(&mut command);
    command
}
