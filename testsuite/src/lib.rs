//! What the whole-program tests and the benches share: a staged offmem and the
//! compilers that read it.

mod churn;
mod compiler;
mod stage;

pub use churn::{Churn, SETTINGS, Setting, UNIFIED};
pub use compiler::{Compiler, Language};
pub use stage::Stage;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The project's top folder.
pub fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    folder.canonicalize().expect("the testsuite stands in the project")
}

/// Runs a command to its end, which must be success, and returns what it printed.
///
/// # Panics
/// If it cannot run or fails; the message has all that it printed.
pub fn succeed(command: &mut Command) -> String {
    let output = run(command);
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, text(&output));
    text(&output)
}

/// Runs a command to its end.
///
/// # Panics
/// If it cannot run.
pub fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// What a command printed: standard output, then standard error.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Says what a test leaves out here, and why; `cargo test -- --nocapture` shows it.
pub fn skipped(what: &str) {
    let _ = writeln!(io::stderr(), "skipped: {what}");
}

/// Whether all of `programs` are there; says which is not.
pub fn installed(programs: &[&str]) -> bool {
    programs.iter().all(|program| {
        let found = Command::new("which").arg(program).output().is_ok_and(|o| o.status.success());
        if !found {
            skipped(&format!("{program} is not installed"));
        }
        found
    })
}
