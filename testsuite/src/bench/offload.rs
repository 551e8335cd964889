//! Whole programs that offload to softcuda, with the option and without it.
//!
//! What registration gains is measured on a modelled machine, an H100 on PCIe
//! 5, whose copies and registrations last (`SOFTCUDA_PACE`) as long as the
//! model says, thirty times over: software is not faster than that, also on a
//! machine that others use. What a call costs more is measured without a model.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use offmem_testsuite::{Compiler, Language, Stage, succeed};
use tempfile::TempDir;

use crate::Figure;
use crate::measure::{Meter, Ratios};

/// Allocate, touch, map, free: what solvers do that keep no buffers. Prints
/// seconds.
const LOOP: &str = r#"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (void)
{
  enum { N = 8 << 20 };
  #pragma omp target
  ;
  double start = omp_get_wtime ();
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
  printf ("%f\n", omp_get_wtime () - start);
  return 0;
}
"#;

/// Buffers that are copied to the device once, and never again. Prints the seconds that
/// copying takes: what the kernel takes to bring the pages in is no
/// part of it, and varies by more.
const ONCE: &str = r#"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main (void)
{
  enum { N = 8 << 20, COUNT = 16 };
  char *x[COUNT];
  #pragma omp target
  ;
  for (int k = 0; k < COUNT; k++)
    memset (x[k] = malloc (N), k, N);
  double start = omp_get_wtime ();
  for (int k = 0; k < COUNT; k++)
    {
      char *p = x[k];
      #pragma omp target enter data map(to: p[0:N])
    }
  printf ("%f\n", omp_get_wtime () - start);
  return 0;
}
"#;

/// For each line, nanoseconds for a target region with four entries that are
/// mapped and registered already.
const REGIONS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int
main (void)
{
  enum { N = 256 << 10, CALLS = 15 };
  struct timespec start, end;
  char *a = calloc (N, 1), *b = calloc (N, 1), *c = calloc (N, 1), *d = calloc (N, 1);
  #pragma omp target enter data map(to: a[0:N], b[0:N], c[0:N], d[0:N])
  while (getchar () != EOF)
    {
      clock_gettime (CLOCK_MONOTONIC, &start);
      for (int k = 0; k < CALLS; k++)
        {
          #pragma omp target map(to: a[0:N], b[0:N], c[0:N], d[0:N])
          a[0] = b[0] + c[0] + d[0];
        }
      clock_gettime (CLOCK_MONOTONIC, &end);
      printf ("%f\n", ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / CALLS);
      fflush (stdout);
    }
  return 0;
}
"#;

/// For each line, seconds: for page-locking memory that was never touched by the
/// driver alone, the same by the runtime, and for clearing as much that is there, with a
/// thread on each processor. All get pages that were in use a moment before, since a
/// hypervisor takes its time for others.
const UNTOUCHED: &str = r#"
#include <dlfcn.h>
#include <offmem.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static const size_t n = 256 << 20;

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static char *
map (void)
{
  char *p = mmap (NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

int
main (void)
{
  int x = 0, error = 0;
  #pragma omp target map(tofrom: x)
  x = 1;
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  int (*register_host) (void *, size_t, unsigned) = dlsym (library, "cuMemHostRegister_v2");
  int (*unregister_host) (void *) = dlsym (library, "cuMemHostUnregister");
  while (getchar () != EOF && !error)
    {
      char *p = map ();
      madvise (p, n, MADV_HUGEPAGE);
      memset (p, 1, n);
      double start = now ();
      #pragma omp parallel for schedule(dynamic)
      for (size_t k = 0; k < 32; k++)
        memset (p + k * (n / 32), 0, n / 32);
      double cleared = now () - start;
      munmap (p, n);

      p = map ();
      start = now ();
      error |= register_host (p, n, 1);
      double driver = now () - start;
      unregister_host (p);
      munmap (p, n);

      p = map ();
      madvise (p, n, MADV_HUGEPAGE);
      memset (p, 1, n);
      munmap (p, n);

      p = map ();
      start = now ();
      error |= offmem_pin (p, n);
      double ours = now () - start;
      offmem_unpin (p, n);
      munmap (p, n);
      printf ("%f %f %f\n", driver, ours, cleared);
      fflush (stdout);
    }
  return error;
}
"#;

pub(crate) fn figures() -> Vec<Figure> {
    let folder = TempDir::new().expect("a temporary folder");
    let programs = |name: &str, text: &str| Programs::new(folder.path(), name, text);
    let gained = |programs: &Programs, limit, most| {
        let seconds = |program: &Path| {
            let mut command = offloading(program);
            number(command.env("SOFTCUDA_COSTS", "h100-pcie").env("SOFTCUDA_PACE", "30"))
        };
        let mut ours_first = false;
        Ratios::judge(limit, most, || {
            ours_first = !ours_first;
            let early = ours_first.then(|| seconds(&programs.ours));
            let stock = seconds(&programs.stock);
            early.unwrap_or_else(|| seconds(&programs.ours)) / stock
        })
    };
    let once = gained(&programs("once", ONCE), ONCE_LIMIT, 21);
    let reuse = gained(&programs("loop", LOOP), LOOP_LIMIT, 11);
    vec![
        region(&programs("regions", REGIONS)),
        untouched(&compile(folder.path(), "untouched", UNTOUCHED, PINNED)),
        Figure::of("h100-pcie: allocate, touch, map, free in a loop", &reuse, LOOP_LIMIT),
        Figure::of("h100-pcie: buffers copied once", &once, ONCE_LIMIT),
    ]
}

const REGION_LIMIT: f64 = 1.02;
const REGION_PROCESSES: usize = 15;
const REGION_READINGS: usize = 40;
const LOOP_LIMIT: f64 = 0.5;
const ONCE_LIMIT: f64 = 1.0 / 0.98;

/// What is ours in a region, beside what `malloc` being ours costs a software driver,
/// which calls it a hundred times: the program with the runtime switched off.
/// The least of many in several processes, since disturbance only adds, and most of it is in where
/// a process has its memory.
fn region(programs: &Programs) -> Figure {
    let mut least = [f64::INFINITY; 3];
    for _ in 0..REGION_PROCESSES {
        let mut off = eager(&programs.ours);
        off.env("OFFMEM", "off");
        let commands = [eager(&programs.stock), off, eager(&programs.ours)];
        let mut meters = commands.map(|mut command| Meter::start(&mut command));
        for _ in 0..REGION_READINGS {
            for (least, meter) in least.iter_mut().zip(&mut meters) {
                *least = least.min(meter.read());
            }
        }
        meters.into_iter().for_each(Meter::end);
    }
    let [stock, off, ours] = least;
    let mut figure = Figure::new("a region with four such entries", ours / stock, REGION_LIMIT);
    figure.remark = format!("hooks alone {:.3}", off / stock);
    figure
}

fn untouched(program: &Path) -> Figure {
    let mut least = f64::INFINITY;
    let mut meter = Meter::start(offloading(program).env("OMP_NUM_THREADS", processors()));
    let ratios = Ratios::judge(0.5, 25, || {
        let [driver, ours, cleared] = meter.figures();
        least = least.min(cleared / driver);
        ours / driver
    });
    meter.end();
    let mut figure = Figure::of("page-locking untouched memory, to the driver alone", &ratios, 0.5);
    figure.remark += &format!(", clearing alone {least:.3}");
    figure
}

fn processors() -> String {
    thread::available_parallelism().map_or(1, usize::from).to_string()
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

/// The program of that name, for softcuda.
pub(crate) fn compile(folder: &Path, name: &str, text: &str, options: &[&str]) -> PathBuf {
    let program = folder.join(name);
    let source = program.with_extension("c");
    fs::write(&source, text).expect("a file");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args(["-O2", "-fopenmp", "-no-pie"]).args(options);
    succeed(Stage::get().enter(gcc.arg(&source).arg("-o").arg(&program)));
    program
}

fn number(command: &mut Command) -> f64 {
    succeed(command).trim().parse().expect("a number")
}

/// With everything registered at once, and a single thread of the device's.
pub(crate) fn eager(program: &Path) -> Command {
    let mut command = offloading(program);
    command.env("OFFMEM_POLICY", "eager").env("SOFTCUDA_THREADS", "1");
    command
}

fn offloading(program: &Path) -> Command {
    let mut command = Command::new(program);
    Stage::get().enter_softcuda(&mut command);
    command
}
