//! What a GCC says of itself.

use std::path::PathBuf;
use std::process::Command;

use crate::Failure;

/// A GCC driver.
#[derive(Debug)]
pub(crate) struct Compiler {
    command: String,
}

impl Compiler {
    pub(crate) fn new(command: String) -> Compiler {
        Compiler { command }
    }

    /// Its built-in specs, whatever specs file is installed.
    pub(crate) fn specs(&self) -> Result<String, Failure> {
        self.ask("-dumpspecs")
    }

    /// What its programs are for: CPU, system and C library.
    pub(crate) fn machine(&self) -> Result<String, Failure> {
        self.ask("-dumpmachine")
    }

    /// Where it looks for plugins.
    pub(crate) fn plugin_folder(&self) -> Result<PathBuf, Failure> {
        let folder = PathBuf::from(self.ask("-print-file-name=plugin")?.trim_end());
        // gcc prints the bare name of what it does not find.
        if folder.is_absolute() {
            Ok(folder)
        } else {
            Err(Failure(format!("'{}' has no plugin folder; name one with --plugin", self.command)))
        }
    }

    fn ask(&self, question: &str) -> Result<String, Failure> {
        let command = &self.command;
        let output = Command::new(command).arg(question).output().map_err(|error| {
            Failure(format!("cannot run '{command}': {error}; name a GCC with --gcc"))
        })?;
        if !output.status.success() {
            return Err(Failure(format!("'{command}' does not know {question}: it is not a GCC")));
        }
        String::from_utf8(output.stdout)
            .map_err(|_| Failure(format!("'{command} {question}' prints something else than text")))
    }
}
