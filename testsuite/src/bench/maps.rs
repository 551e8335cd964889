//! Maps of what is mapped already: of pinned memory and of unified memory beside stock
//! maps, and of other memory in a unified program beside the program with pinned memory.

use std::path::Path;

use offmem_testsuite::succeed;
use tempfile::TempDir;

use crate::Figure;
use crate::measure::alternate;
use crate::offload::{compile, eager};

/// CPU nanoseconds for an entry of memory that is mapped already, and for a call with one.
const PROGRAM: &str = r#"
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
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static double
least (void (*map) (void))
{
  double least = 1e12;
  for (int round = 0; round < 20; round++)
    {
      double start = now ();
      for (int k = 0; k < CALLS; k++)
        map ();
      double ns = now () - start;
      if (ns < least)
        least = ns;
    }
  return least / CALLS;
}

int
main (void)
{
  static char statics[8][N];
  char **all[] = { &a, &b, &c, &d, &e, &f, &g, &h };
  for (int k = 0; k < 8; k++)
    *all[k] = STATIC ? statics[k] : calloc (N, 1);
  eight ();
  double single = least (one);
  printf ("%f %f\n", (least (eight) - single) / 7, single);
  return 0;
}
"#;

/// More than stock, or than pinned memory, in nanoseconds.
const LIMIT: f64 = 30.0;

pub(crate) fn figures() -> Vec<Figure> {
    let folder = TempDir::new().expect("a temporary folder");
    let program = |name: &str, options: &[&str]| compile(folder.path(), name, PROGRAM, options);
    let (unified, pinned) = ("-foffload-memory=unified", "-foffload-memory=pinned");
    let stock = program("stock", &["-DSTATIC=0"]);
    let [registered, _] = more(&stock, &program("registered", &["-DSTATIC=0", pinned]));
    let [entry, call] = more(&stock, &program("ours", &["-DSTATIC=0", unified]));
    let other =
        (program("pinned", &["-DSTATIC=1", pinned]), program("unified", &["-DSTATIC=1", unified]));
    let [other_entry, other_call] = more(&other.0, &other.1);
    let figure = |name, entry, call: f64| Figure {
        remark: format!("a call with one: {call:.0}"),
        ..Figure::new(name, entry, LIMIT)
    };
    vec![
        Figure::new("an entry that is registered already, ns more", registered, LIMIT),
        figure("an entry of unified memory, ns more than stock's present one", entry, call),
        figure("an entry of other memory, ns more than with pinned", other_entry, other_call),
    ]
}

/// What the second program takes more: for an entry, and for a call with one.
fn more(base: &Path, ours: &Path) -> [f64; 2] {
    let printed = |program: &Path| {
        let printed = succeed(&mut eager(program));
        let numbers = printed.split_whitespace().map(|word| word.parse().expect("a number"));
        numbers.collect::<Vec<f64>>()
    };
    [0, 1].map(|which| {
        let (base, ours) = alternate(9, || printed(base)[which], || printed(ours)[which]);
        ours - base
    })
}
