use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::stage::{gcc, machine_and_version};

/// A language whose directives the plugin knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// gcc
    C,
    /// g++
    Cxx,
    /// gfortran
    Fortran,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3] = [Language::C, Language::Cxx, Language::Fortran];

    /// The suffix of a source file.
    pub const fn suffix(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cxx => "cc",
            Language::Fortran => "f90",
        }
    }
}

/// The driver of one language, of the GCC under test.
#[derive(Debug)]
pub struct Compiler {
    /// The command.
    pub name: String,
}

impl Compiler {
    /// gcc-12's g++ is g++-12.
    pub fn of(language: Language) -> Compiler {
        let driver = match language {
            Language::C => "gcc",
            Language::Cxx => "g++",
            Language::Fortran => "gfortran",
        };
        let gcc = gcc();
        let at = gcc.rfind("gcc").expect("GCC names a gcc");
        Compiler { name: format!("{}{driver}{}", &gcc[..at], &gcc[at + 3..]) }
    }

    /// Whether it can offload to nvptx, for which it needs another compiler.
    pub fn offloads(&self) -> bool {
        let mut command = self.command();
        command.args([
            "-fopenmp",
            "-foffload=nvptx-none",
            "-no-pie",
            "-xc",
            "-o",
            "/dev/null",
            "-",
        ]);
        let program = b"int main (void) {\n#pragma omp target\n;\nreturn 0; }\n";
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let sent = child.stdin.take().is_some_and(|mut input| input.write_all(program).is_ok());
        sent && child.wait().is_ok_and(|status| status.success())
    }

    /// A new command line of it.
    pub fn command(&self) -> Command {
        Command::new(&self.name)
    }

    /// `MACHINE/VERSION`, where it looks for specs below a folder of `LIBRARY_PATH`.
    pub fn machine_and_version() -> PathBuf {
        machine_and_version()
    }
}
