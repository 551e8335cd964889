//! What the program's allocations cost, in a program linked with the runtime
//! and in one without.

use std::fs;
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, succeed};
use tempfile::TempDir;

use crate::Figure;
use crate::measure::alternate;

const ROUNDS: usize = 15;
/// Of short ones, of which a percent counts.
const SHORT_ROUNDS: usize = 80;

/// Prints the CPU seconds of the part that its argument names. Blocks are
/// written whole: a program allocates in order to use.
const PROGRAM: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is not read may be left unwritten, but for this.  */

static void *
fill (char *block, size_t size)
{
  memset (block, 1, size);
  __asm__ volatile ("" : : "r" (block) : "memory");
  return block;
}

static void *
allocate (size_t size)
{
  return fill (malloc (size), size);
}

static void *
small (void *seed)
{
  for (int i = 0; i < 200000; i++)
    {
      void *a = allocate (24 + i % 64), *b = allocate (200 + i % 256);
      free (a);
      free (b);
    }
  return seed;
}

static void *
fixed (size_t size, int count)
{
  for (int i = 0; i < count; i++)
    free (allocate (size));
  return NULL;
}

static void *
fixed_128k (void *seed)
{
  return fixed (128 << 10, 20000);
}

static void *
fixed_1m (void *seed)
{
  return fixed (1 << 20, 2000);
}

static void *
fixed_64m (void *seed)
{
  return fixed (64 << 20, 6);
}

static void *
mixed (void *seed)
{
  unsigned state = (size_t) seed + 1;
  char *blocks[8] = { 0 };
  for (int i = 0; i < 100; i++)
    {
      size_t size = (size_t) (128 << 10) << rand_r (&state) % 9;
      int slot = rand_r (&state) % 8;
      free (blocks[slot]);
      blocks[slot] = allocate (size + rand_r (&state) % size);
    }
  for (int i = 0; i < 8; i++)
    free (blocks[i]);
  return seed;
}

static void *
grow (void *seed)
{
  char *block = NULL;
  size_t size = 0;
  for (size_t next = 1024; next <= 256 << 20; next *= 2)
    {
      block = realloc (block, next);
      fill (block + size, next - size);
      size = next;
    }
  free (block);
  return seed;
}

static void *
zeros (void *seed)
{
  for (int i = 0; i < 64; i++)
    {
      size_t size = (size_t) (128 << 10) << i % 9;
      free (fill (calloc (1, size), size));
    }
  return seed;
}

int
main (int argc, char **argv)
{
  struct { const char *name; void *(*part) (void *); } parts[]
    = { { "small", small }, { "fixed_128k", fixed_128k }, { "fixed_1m", fixed_1m },
        { "fixed_64m", fixed_64m }, { "mixed", mixed }, { "grow", grow }, { "zeros", zeros } };
  int threads = atoi (argv[2]);
  struct timespec start, end;

  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strcmp (argv[1], parts[i].name) == 0)
      {
        pthread_t ids[2];
        clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &start);
        for (int k = 1; k < threads; k++)
          pthread_create (&ids[k], NULL, parts[i].part, (void *) (size_t) k);
        parts[i].part (NULL);
        for (int k = 1; k < threads; k++)
          pthread_join (ids[k], NULL);
        clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &end);
        printf ("%.9f\n", end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9);
        return 0;
      }
  return 1;
}
"#;

/// Part, threads, what it is called, and the most that it may cost compared with glibc. Where glibc
/// recycles as we do, what is left is the noise of the machine, and for a small block the
/// jump through the hook.
const PARTS: [(&str, &str, &str, f64); 9] = [
    ("small", "1", "malloc and free, small blocks, to glibc", 1.02),
    ("fixed_128k", "1", "128 KiB blocks, written, to glibc", 1.03),
    ("fixed_1m", "1", "1 MiB blocks, written, to glibc", 1.03),
    ("fixed_64m", "1", "64 MiB blocks, written, to glibc", 1.0),
    ("mixed", "1", "128 KiB to 64 MiB, written, to glibc", 1.0),
    ("mixed", "2", "the same in two threads, to glibc", 1.0),
    ("fixed_1m", "2", "1 MiB blocks in two threads, to glibc", 1.03),
    ("grow", "1", "realloc by doubling to 256 MiB, to glibc", 1.03),
    ("zeros", "1", "calloc of 128 KiB to 32 MiB, written, to glibc", 1.0),
];

pub(crate) fn figures() -> [Figure; PARTS.len()] {
    let folder = TempDir::new().expect("a temporary folder");
    let source = folder.path().join("x.c");
    fs::write(&source, PROGRAM).expect("a file");
    let program = |options: &[&str], name: &str| {
        let program = folder.path().join(name);
        let mut gcc = Compiler::of(Language::C).command();
        gcc.args(["-O2", "-fno-builtin-malloc", "-pthread", "-fopenmp", "-foffload=disable"]);
        succeed(Stage::get().enter(gcc.args(options).arg(&source).arg("-o").arg(&program)));
        program
    };
    let stock = program(&[], "stock");
    let ours = program(&["-foffload-memory=pinned"], "ours");
    PARTS.map(|(part, threads, name, limit)| {
        let run = |program| {
            let mut command = Command::new(program);
            let printed = succeed(Stage::get().enter(command.args([part, threads])));
            printed.trim().parse().expect("seconds")
        };
        let rounds = if part == "small" { SHORT_ROUNDS } else { ROUNDS };
        let (stock, ours) = alternate(rounds, || run(&stock), || run(&ours));
        Figure::new(name, ours / stock, limit)
    })
}
