//! The software driver's speed, against what its users were promised.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, succeed};
use serde_json::Value;
use tempfile::TempDir;

use crate::Figure;
use crate::measure::wall_seconds;

const ROUNDS: usize = 10;

/// An offload program: `BODY` with `a`, an array of `N` floats.
fn program(n: usize, body: &str) -> String {
    format!(
        "#include <omp.h>\n#include <stdlib.h>\nint main (void) {{\n\
         int n = {n}, host = 1; float *a = malloc (n * sizeof *a), *b = malloc (n * sizeof *b);\n\
         for (int i = 0; i < n; i++) a[i] = b[i] = i;\n\
         #pragma omp target map(from: host)\n\
         host = omp_is_initial_device ();\n\
         {body}\n\
         return host || a[n - 1] == n - 1; }}\n"
    )
}

const VECTOR_ADD: &str = "#pragma omp target teams distribute parallel for \
    map(tofrom: a[0:n]) map(to: b[0:n])\nfor (int i = 0; i < n; i++) a[i] += b[i] + 1;";

const LOOPS: &str = "#pragma omp target teams distribute parallel for map(tofrom: a[0:n])\n\
    for (int i = 0; i < n; i++) for (int k = 0; k < 200; k++) a[i] += k;";

pub(crate) fn figures() -> [Figure; 3] {
    let tiny = Program::compile(&program(10, VECTOR_ADD));
    let add = Program::compile(&program(1_000_000, VECTOR_ADD));
    let loops = Program::compile(&program(500_000, LOOPS));
    let instructions = loops.instructions();
    [
        Figure::new("softcuda: tiny program, of 20 ms", tiny.least_seconds() / 0.020, 1.0),
        Figure::new("softcuda: vector add of 10^6, of 0.1 s", add.least_seconds() / 0.1, 1.0),
        Figure::new(
            "softcuda: loops, of 10 ns a warp-instruction on one core",
            loops.least_seconds() / instructions / 10e-9,
            1.0,
        ),
    ]
}

struct Program {
    folder: TempDir,
}

impl Program {
    fn compile(source: &str) -> Program {
        let folder = TempDir::new().expect("a temporary folder");
        let file = folder.path().join("x.c");
        fs::write(&file, source).expect("a file");
        let mut gcc = Compiler::of(Language::C).command();
        gcc.args(["-O2", "-fopenmp", "-no-pie", "-foffload=nvptx-none"]);
        succeed(gcc.arg(&file).arg("-o").arg(folder.path().join("a.out")));
        Program { folder }
    }

    fn statistics(&self) -> PathBuf {
        self.folder.path().join("stats.json")
    }

    fn run(&self) -> f64 {
        let mut command = Command::new(self.folder.path().join("a.out"));
        let command = Stage::get().enter_softcuda(&mut command);
        wall_seconds(command.env("SOFTCUDA_STATS", self.statistics()).env("SOFTCUDA_THREADS", "1"))
    }

    fn least_seconds(&self) -> f64 {
        (0..ROUNDS).map(|_| self.run()).fold(f64::INFINITY, f64::min)
    }

    /// Warp-instructions of one run.
    fn instructions(&self) -> f64 {
        self.run();
        let text = fs::read_to_string(self.statistics()).expect("statistics");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        value["instructions"].as_f64().expect("a number")
    }
}
