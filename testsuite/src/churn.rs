use std::path::PathBuf;
use std::process::Command;

use crate::{Compiler, Language, Stage, root, succeed};

/// The program `testsuite/churn`, compiled with the option: random sequences
/// of what programs do with memory that they also offload.
#[derive(Debug)]
pub struct Churn {
    folder: PathBuf,
}

/// What it is run with.
#[derive(Debug)]
pub struct Setting {
    /// For people.
    pub name: &'static str,
    /// The option's value, `pinned` or `unified`.
    pub memory: &'static str,
    /// In its environment.
    pub variables: &'static [(&'static str, &'static str)],
}

const fn pinned(name: &'static str, variables: &'static [(&'static str, &'static str)]) -> Setting {
    Setting { name, memory: "pinned", variables }
}

/// Each leads to other decisions about the same operations.
pub const SETTINGS: [Setting; 7] = [
    pinned("eager", &[("OFFMEM_POLICY", "eager")]),
    pinned("adaptive", &[("OFFMEM_POLICY", "adaptive")]),
    pinned("per-map", &[("OFFMEM_POLICY", "per-map")]),
    // Room for few of the blocks of one thread.
    pinned("limited", &[("OFFMEM_POLICY", "eager"), ("OFFMEM_LIMIT", "1M")]),
    pinned("adaptive-limited", &[("OFFMEM_POLICY", "adaptive"), ("OFFMEM_LIMIT", "2M")]),
    pinned("deferred", &[("OFFMEM_POLICY", "eager"), ("SOFTCUDA_ASYNC", "deferred")]),
    pinned("counted", &[("OFFMEM_POLICY", "eager"), ("OFFMEM_REPORT", "/dev/null")]),
];

const fn unified(
    name: &'static str,
    variables: &'static [(&'static str, &'static str)],
) -> Setting {
    Setting { name, memory: "unified", variables }
}

/// With what `malloc` gives shared by host and device.
pub const UNIFIED: [Setting; 5] = [
    unified("unified", &[("OFFMEM_POLICY", "eager")]),
    unified("unified-deferred", &[("OFFMEM_POLICY", "eager"), ("SOFTCUDA_ASYNC", "deferred")]),
    unified("unified-devices", &[("OFFMEM_POLICY", "eager"), ("SOFTCUDA_DEVICES", "2")]),
    // Slabs come and go all the time.
    unified("unified-limited", &[("OFFMEM_POLICY", "eager"), ("OFFMEM_UNIFIED_POOL", "24M")]),
    // Much has no room, and is registered.
    unified("unified-short", &[("OFFMEM_POLICY", "eager"), ("OFFMEM_UNIFIED_POOL", "3M")]),
];

impl Churn {
    /// Compiles it with each value; only one test program of a run may do so at
    /// a time.
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
        for (memory, unified) in [("pinned", "-DUNIFIED=0"), ("unified", "-DUNIFIED=1")] {
            let mut program =
                compile(&["-fopenmp", "-no-pie", "-foffload=nvptx-none", unified, "-ldl"]);
            let names = ["churn", "model", "heap", "pages", "other", "construct", "common"];
            program.args(names.map(source)).arg(format!("-foffload-memory={memory}"));
            succeed(program.args(["-o", &format!("churn-{memory}")]));
        }
        for thread in 0..Churn::THREADS_MAX {
            let mut library = compile(&["-shared", "-fPIC"]);
            library.arg(source("library")).arg("-o").arg(format!("library{thread}.so"));
            succeed(&mut library);
        }
        Churn { folder }
    }

    /// The most threads of one process.
    pub const THREADS_MAX: u32 = 8;

    /// A process of it on the software driver, which reports to `statistics`.
    /// The smallest blocks that the runtime cares for are its blocks.
    pub fn command(&self, seed: u64, operations: u64, threads: u32, setting: &Setting) -> Command {
        let mut command = Command::new(self.folder.join(format!("churn-{}", setting.memory)));
        command.args([seed.to_string(), operations.to_string(), threads.to_string()]);
        Stage::get().enter_softcuda(&mut command);
        // Threads that spin take the processor from those that work.
        command.env("OFFMEM_MIN_SIZE", "64K").env("OMP_WAIT_POLICY", "passive");
        command.envs(setting.variables.iter().copied());
        command
    }
}
