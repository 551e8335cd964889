//! `offmem`, which teaches stock GCC `-foffload-memory=`.

mod cli;
mod compiler;
mod specs;

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
    let output = match Cli::parse().command {
        Command::Specs(arguments) => print_specs(arguments),
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

fn print_specs(arguments: SpecsArguments) -> Result<Vec<u8>, Failure> {
    let gcc = Compiler::new(arguments.gcc);
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
