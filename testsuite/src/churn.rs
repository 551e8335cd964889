use std::path::PathBuf;
use std::process::Command;

use crate::{Compiler, Language, Stage, root, succeed};

/// The program `testsuite/churn`, compiled with the option: random sequences
/// of what programs do with memory that they also offload.
#[derive(Debug)]
pub struct Churn {
    program: PathBuf,
}

/// What it is run with: a name, and variables.
pub type Setting = (&'static str, &'static [(&'static str, &'static str)]);

/// Each leads to other decisions about the same operations.
pub const SETTINGS: [Setting; 7] = [
    ("eager", &[("OFFMEM_POLICY", "eager")]),
    ("adaptive", &[("OFFMEM_POLICY", "adaptive")]),
    ("per-map", &[("OFFMEM_POLICY", "per-map")]),
    // Room for few of the blocks of one thread.
    ("limited", &[("OFFMEM_POLICY", "eager"), ("OFFMEM_LIMIT", "1M")]),
    ("adaptive-limited", &[("OFFMEM_POLICY", "adaptive"), ("OFFMEM_LIMIT", "2M")]),
    ("deferred", &[("OFFMEM_POLICY", "eager"), ("SOFTCUDA_ASYNC", "deferred")]),
    ("counted", &[("OFFMEM_POLICY", "eager"), ("OFFMEM_REPORT", "/dev/null")]),
];

impl Churn {
    /// Compiles it; only one test program of a run may do so at a time.
    ///
    /// # Panics
    /// If it does not compile.
    pub fn build() -> Churn {
        let folder = root().join("target/churn");
        std::fs::create_dir_all(&folder).expect("a folder");
        let source = |name: &str| root().join("testsuite/churn").join(format!("{name}.c"));
        let compile = |options: &[&str]| {
            let mut gcc = Compiler::of(Language::C).command();
            gcc.args(options).args(["-O1", "-g"]).current_dir(&folder);
            Stage::get().enter(&mut gcc);
            gcc
        };
        let mut program =
            compile(&["-fopenmp", "-no-pie", "-foffload=nvptx-none", "-foffload-memory=pinned"]);
        let names = ["churn", "model", "heap", "pages", "other", "construct", "common"];
        program.args(names.map(source)).args(["-ldl", "-o", "churn"]);
        succeed(&mut program);
        for thread in 0..Churn::THREADS_MAX {
            let mut library = compile(&["-shared", "-fPIC", "-o"]);
            succeed(library.arg(format!("library{thread}.so")).arg(source("library")));
        }
        Churn { program: folder.join("churn") }
    }

    /// The most threads of one process.
    pub const THREADS_MAX: u32 = 8;

    /// A process of it on the software driver, which reports to `statistics`.
    /// The smallest blocks that the runtime cares for are its blocks.
    pub fn command(&self, seed: u64, operations: u64, threads: u32, setting: &Setting) -> Command {
        let mut command = Command::new(&self.program);
        command.args([seed.to_string(), operations.to_string(), threads.to_string()]);
        Stage::get().enter_softcuda(&mut command);
        // Threads that spin take the processor from those that work.
        command.env("OFFMEM_MIN_SIZE", "64K").env("OMP_WAIT_POLICY", "passive");
        command.envs(setting.1.iter().copied());
        command
    }
}
