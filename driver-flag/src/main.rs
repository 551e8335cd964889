//! `offmem`, which teaches stock GCC `-foffload-memory=`.

mod cli;
mod compiler;
mod elf;
mod loader;
mod program;
mod run;
mod specs;

use std::env;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command, SpecsArguments};
use crate::compiler::Compiler;
use crate::specs::Parts;

/// A line for standard error: what failed, and what to do.
#[derive(Debug)]
struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let output = match cli.command {
        Command::Specs(arguments) => print_specs(arguments),
        // It returns only if the program does not run.
        Command::Run(arguments) => match run::become_program(&arguments) {
            Err(stop) => {
                let _ = writeln!(io::stderr(), "offmem: {}", stop.reason);
                return ExitCode::from(stop.status);
            }
        },
        Command::Generate { what } => Ok(cli::generate(what)),
    };
    let failure = match output {
        Ok(output) => match io::stdout().write_all(&output) {
            Ok(()) => return ExitCode::SUCCESS,
            // As everywhere on Unix: the reader has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Err(error) => Failure(format!("cannot write to standard output: {error}")),
        },
        Err(failure) => failure,
    };
    let _ = writeln!(io::stderr(), "offmem: {failure}");
    ExitCode::FAILURE
}

/// Prints clap's help or error. `offmem run` must not end with a status that
/// looks like the program's.
fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    match env::args_os().nth(1) {
        _ if !error.use_stderr() => ExitCode::SUCCESS,
        Some(command) if command == "run" => ExitCode::from(run::FAILED),
        _ => ExitCode::from(2),
    }
}

fn print_specs(arguments: SpecsArguments) -> Result<Vec<u8>, Failure> {
    let gcc = Compiler::new(arguments.gcc);
    if gcc.machine()?.contains("musl") {
        return Err(Failure("this GCC is for musl, and the runtime needs glibc".into()));
    }
    let plugin = match arguments.plugin {
        Some(plugin) => plugin,
        None => gcc.plugin_folder()?.join("liboffmem.so"),
    };
    for path in [Some(&plugin), arguments.runtime.as_ref()].into_iter().flatten() {
        if !path.is_absolute() {
            let path = path.display();
            return Err(Failure(format!("'{path}' must be an absolute path: gcc runs anywhere")));
        }
    }
    let parts = Parts { plugin: &plugin, runtime: arguments.runtime.as_deref() };
    Ok(specs::complete(&gcc.specs()?, &parts)?.into_bytes())
}
