//! Small blocks of unified memory beside glibc's: one program, compiled with
//! the option and without it. It runs on softcuda, since without a device
//! there is no such memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, succeed};
use tempfile::TempDir;

use crate::Figure;
use crate::measure::Meter;

/// For each line, CPU nanoseconds for one block, of the part that the first argument names, in as
/// many threads as the second says. Other programs of the machine do not count, and whoever waits
/// for a lock sooner or later does.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS = 100000, BATCH = 1000, MOST = 8 };

/* A program allocates in order to use.  */
#define USE(BLOCK) (*(volatile char *) (BLOCK) = 1)

/* In a fixed order that no cache of sizes knows.  */

static inline size_t
size (size_t count)
{
  return 16 + (count * 0x9e3779b9 >> 7) % 497;
}

static inline void
pair (size_t size)
{
  void *block = malloc (size);
  USE (block);
  free (block);
}

static volatile size_t fixed;

static void
same (void)
{
  for (int k = 0; k < PAIRS; k++)
    pair (fixed);
}

static void
mixed (void)
{
  for (int k = 0; k < PAIRS; k++)
    pair (size (k));
}

static void
batches (void)
{
  void *blocks[BATCH];
  for (int batch = 0; batch < PAIRS / BATCH; batch++)
    {
      for (int k = 0; k < BATCH; k++)
        USE (blocks[k] = malloc (size (batch + k)));
      for (int k = 0; k < BATCH; k++)
        free (blocks[k]);
    }
}

static void
objects (void)
{
  struct Object { char bytes[48]; };
  for (int k = 0; k < PAIRS / 2; k++)
    {
      Object *object = new Object;
      USE (object);
      char *array = new char[size (k)];
      USE (array);
      delete[] array;
      delete object;
    }
}

/* Each thread frees what its neighbour has allocated.  */
static pthread_barrier_t barrier;
static void *passed_blocks[2][MOST][BATCH];
static int threads;

static void
passed (int thread)
{
  for (int batch = 0; batch < PAIRS / BATCH; batch++)
    {
      void **mine = passed_blocks[batch % 2][thread];
      for (int k = 0; k < BATCH; k++)
        USE (mine[k] = malloc (size (batch + k)));
      pthread_barrier_wait (&barrier);
      void **theirs = passed_blocks[batch % 2][(thread + 1) % threads];
      for (int k = 0; k < BATCH; k++)
        free (theirs[k]);
    }
}

static void (*part) (void);
static double seconds[MOST];

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void *
run (void *argument)
{
  int thread = (int) (size_t) argument;
  for (int round = 0; round < 2; round++)
    {
      pthread_barrier_wait (&barrier);
      double start = now ();
      if (part)
        part ();
      else
        passed (thread);
      seconds[thread] = now () - start;
    }
  return NULL;
}

int
main (int, char **argv)
{
  threads = atoi (argv[2]);
  fixed = atoi (argv[1]);
  if (fixed)
    part = same;
  else if (strcmp (argv[1], "mixed") == 0)
    part = mixed;
  else if (strcmp (argv[1], "batches") == 0)
    part = batches;
  else if (strcmp (argv[1], "objects") == 0)
    part = objects;
  pthread_barrier_init (&barrier, NULL, threads);
  #pragma omp target
  ;
  while (getchar () != EOF)
    {
      pthread_t others[MOST];
      for (int k = 1; k < threads; k++)
        pthread_create (&others[k], NULL, run, (void *) (size_t) k);
      run (NULL);
      double sum = seconds[0];
      for (int k = 1; k < threads; k++)
        {
          pthread_join (others[k], NULL);
          sum += seconds[k];
        }
      printf ("%f\n", sum * 1e9 / threads / PAIRS);
      fflush (stdout);
    }
  return 0;
}
"#;

/// A part of the program, what it is called, and whether it is also looked at in several threads.
const PARTS: [(&str, &str, bool); 6] = [
    ("16", "blocks of 16 bytes", false),
    ("64", "blocks of 64 bytes", true),
    ("512", "blocks of 512 bytes", false),
    ("mixed", "blocks of 16 to 512 bytes", true),
    ("batches", "the same, 1000 at a time", true),
    ("objects", "new and delete, 16 to 512 bytes", true),
];

const LIMIT: f64 = 1.3;
/// Of one kind of block.
const PART_LIMIT: f64 = 1.4;
/// The time of several threads to that of one, to the same for glibc. What is above one is the
/// noise of two cores.
const SCALING: f64 = 1.05;
/// Pairs of processes.
const PROCESSES: usize = 20;
/// Of each process.
const READINGS: usize = 10;

pub(crate) fn figures() -> Vec<Figure> {
    let folder = TempDir::new().expect("a temporary folder");
    let programs = Programs::new(folder.path());
    let mut figures = Vec::new();
    let mut sum = (0.0, 0.0);
    for (part, name, scales) in PARTS {
        let (figure, both) = compare(&programs, format!("unified, {name}, to glibc"), part, 1);
        figures.push(figure);
        if part != "batches" && part != "objects" {
            sum = (sum.0 + both.0, sum.1 + both.1);
        }
        if scales {
            figures.extend([2, 4, 8].map(|threads| scaling(&programs, part, threads)));
        }
    }
    figures.push(figure("unified, malloc and free, the first four".into(), sum, LIMIT));
    for threads in [2, 8] {
        let name = format!("freed by another thread, {threads} threads, to glibc");
        figures.push(compare(&programs, name, "passed", threads).0);
    }
    figures
}

fn compare(programs: &Programs, name: String, part: &str, threads: usize) -> (Figure, Both) {
    let [both] = programs.read(part, [threads]);
    (figure(name, both, PART_LIMIT), both)
}

fn figure(name: String, (stock, ours): Both, limit: f64) -> Figure {
    let mut figure = Figure::new(name.leak(), ours / stock, limit);
    figure.remark = format!("{ours:.1} ns to {stock:.1}");
    figure
}

fn scaling(programs: &Programs, part: &str, threads: usize) -> Figure {
    let [(stock, ours), (stock_many, ours_many)] = programs.read(part, [1, threads]);
    let ratio = (ours_many / ours) / (stock_many / stock);
    let name = format!("  {threads} threads to one, to glibc's");
    let mut figure = Figure::new(name.leak(), ratio, SCALING);
    figure.remark = format!("{ours_many:.1} ns to {ours:.1}, {stock_many:.1} to {stock:.1}");
    figure
}

/// Nanoseconds without the option, and with it.
type Both = (f64, f64);

const NEVER: Both = (f64::INFINITY, f64::INFINITY);

/// The program without the option, and with it.
struct Programs {
    stock: PathBuf,
    ours: PathBuf,
}

impl Programs {
    fn new(folder: &Path) -> Programs {
        let source = folder.join("x.cc");
        fs::write(&source, PROGRAM).expect("a file");
        let compile = |name: &str, options: &[&str]| {
            let program = folder.join(name);
            let mut compiler = Compiler::of(Language::Cxx).command();
            compiler.args(["-O2", "-fopenmp", "-no-pie", "-pthread"]).args(options);
            succeed(Stage::get().enter(compiler.arg(&source).arg("-o").arg(&program)));
            program
        };
        Programs {
            stock: compile("stock", &[]),
            ours: compile("ours", &["-foffload-memory=unified"]),
        }
    }

    /// The least of many, since disturbance only adds; in several processes, since where one has its
    /// memory makes a difference. For each number of threads.
    fn read<const COUNT: usize>(&self, part: &str, threads: [usize; COUNT]) -> [Both; COUNT] {
        let mut least = [NEVER; COUNT];
        for _ in 0..PROCESSES {
            for (least, threads) in least.iter_mut().zip(threads) {
                let start = |program: &Path| {
                    let mut command = Command::new(program);
                    command.arg(part).arg(threads.to_string()).env("SOFTCUDA_THREADS", "1");
                    Meter::start(Stage::get().enter_softcuda(&mut command))
                };
                let (mut stock, mut ours) = (start(&self.stock), start(&self.ours));
                for _ in 0..READINGS {
                    *least = (least.0.min(stock.read()), least.1.min(ours.read()));
                }
                stock.end();
                ours.end();
            }
        }
        least
    }
}
