//! Start of a process that never offloads.

use std::fs;
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, succeed};
use tempfile::TempDir;

use crate::Figure;
use crate::measure::{alternate, wall_seconds};

const ROUNDS: usize = 400;

pub(crate) fn process() -> Figure {
    let folder = TempDir::new().expect("a temporary folder");
    let source = folder.path().join("x.c");
    fs::write(&source, "int main (void) {\n#pragma omp parallel if (0)\n;\nreturn 0; }\n")
        .expect("a file");
    let program = |options: &[&str], name: &str| {
        let program = folder.path().join(name);
        let mut gcc = Compiler::of(Language::C).command();
        gcc.args(["-O2", "-fopenmp", "-foffload=disable"]).args(options);
        succeed(Stage::get().enter(gcc.arg(&source).arg("-o").arg(&program)));
        program
    };
    let stock = program(&[], "stock");
    let ours = program(&["-foffload-memory=pinned"], "ours");
    let run = |program| {
        let mut command = Command::new(program);
        wall_seconds(Stage::get().enter(&mut command).env("OFFMEM", "quiet"))
    };
    let (stock, ours) = alternate(ROUNDS, || run(&stock), || run(&ours));
    let milliseconds = (ours - stock) * 1e3;
    Figure::new("process start without offloading, ms more than stock", milliseconds, 1.0)
}
