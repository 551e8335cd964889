use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::{root, succeed};

/// `target/stage`, made anew from the sources once per process.
#[derive(Debug)]
pub struct Stage {
    folder: PathBuf,
}

impl Stage {
    /// The stage.
    ///
    /// # Panics
    /// If `make stage` fails.
    pub fn get() -> &'static Stage {
        static STAGE: OnceLock<Stage> = OnceLock::new();
        STAGE.get_or_init(|| {
            // make, so that a test never runs against an old build; its lock
            // keeps test programs that start at once from staging at once.
            let mut make = Command::new("flock");
            make.arg(root().join("Makefile")).args(["make", "--silent", "stage"]);
            make.arg(format!("GCC={}", gcc())).current_dir(root());
            succeed(&mut make);
            Stage { folder: root().join("target/stage") }
        })
    }

    /// The runtime library.
    pub fn runtime(&self) -> PathBuf {
        self.folder.join("lib/libgomp-offmem.so.1")
    }

    /// The plugin for the GCC under test.
    pub fn plugin(&self) -> PathBuf {
        self.compiler_folder().join("liboffmem.so")
    }

    /// The specs file for the GCC under test.
    pub fn specs(&self) -> PathBuf {
        self.compiler_folder().join("specs")
    }

    /// The CUDA driver in software.
    pub fn softcuda(&self) -> PathBuf {
        self.folder.join("lib/softcuda/libcuda.so.1")
    }

    /// The command line tool.
    pub fn offmem(&self) -> PathBuf {
        self.folder.join("bin/offmem")
    }

    /// What `. env.sh` does, to one command. Messages are in English, and the
    /// caller's own `OFFMEM` settings don't count.
    pub fn enter<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        self.enter_with(command, &["lib"])
    }

    /// As [`Stage::enter`], and the command's programs offload to the software
    /// driver.
    pub fn enter_softcuda<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        self.enter_with(command, &["lib/softcuda", "lib"])
    }

    fn enter_with<'a>(&self, command: &'a mut Command, libraries: &[&str]) -> &'a mut Command {
        for (variable, folders) in [
            ("LIBRARY_PATH", &["lib/gcc"][..]),
            ("LD_LIBRARY_PATH", libraries),
            ("CPATH", &["include"]),
            ("PATH", &["bin"]),
        ] {
            let ours = folders.iter().map(|folder| self.folder.join(folder).display().to_string());
            let theirs = env::var(variable).ok().filter(|folders| !folders.is_empty());
            command.env(variable, ours.chain(theirs).collect::<Vec<_>>().join(":"));
        }
        for (variable, _) in env::vars_os() {
            if variable.to_string_lossy().starts_with("OFFMEM") {
                command.env_remove(variable);
            }
        }
        command.env("LC_ALL", "C")
    }

    fn compiler_folder(&self) -> PathBuf {
        self.folder.join("lib/gcc").join(machine_and_version())
    }
}

/// The GCC under test: `GCC`, as for make.
pub(crate) fn gcc() -> String {
    env::var("GCC").unwrap_or_else(|_| "gcc".into())
}

/// Where that GCC looks below a folder of `LIBRARY_PATH`.
pub(crate) fn machine_and_version() -> PathBuf {
    let ask = |question| succeed(Command::new(gcc()).arg(question));
    Path::new(ask("-dumpmachine").trim()).join(ask("-dumpversion").trim())
}
