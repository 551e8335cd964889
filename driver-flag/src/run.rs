//! `offmem run`: the environment in which a stock program meets the runtime.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{self, Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::cli::{Memory, RunArguments};
use crate::elf::{self, Kind};
use crate::loader;
use crate::program::{self, Refusal};

/// The statuses of env(1).
pub(crate) const FAILED: u8 = 125;
const UNFIT: u8 = 126;
const NOT_FOUND: u8 = 127;

const SONAME: &str = "libgomp-offmem.so.1";

/// Why offmem did not become the program.
#[derive(Debug)]
pub(crate) struct Stop {
    /// offmem's exit status.
    pub(crate) status: u8,
    /// For one line on standard error.
    pub(crate) reason: String,
}

impl Stop {
    fn new(status: u8, reason: String) -> Stop {
        Stop { status, reason }
    }
}

/// Replaces this process by the program.
///
/// # Errors
/// Always, if it returns.
pub(crate) fn become_program(arguments: &RunArguments) -> Result<std::convert::Infallible, Stop> {
    let (name, rest) = arguments
        .command
        .split_first()
        .ok_or_else(|| Stop::new(FAILED, "no program is named".into()))?;
    let refuse = |refusal| match refusal {
        Refusal::NotFound => Stop::new(NOT_FOUND, format!("'{}' is not found", name.display())),
        Refusal::Unfit(reason) => Stop::new(UNFIT, format!("'{}' {reason}", name.display())),
    };
    let file = program::find(name).map_err(refuse)?;
    let mut command = Command::new(&file);
    command.arg0(name).args(rest);
    if arguments.memory == Memory::None {
        // Also for what was compiled with the option.
        command.env_remove("OFFMEM_MEMORY").env("OFFMEM", "off");
    } else {
        program::check(&file, arguments.force).map_err(refuse)?;
        let runtime = runtime(arguments.runtime.as_deref())?;
        command.env("LD_PRELOAD", preloads(&runtime, env::var_os("LD_PRELOAD").as_deref()));
        command.envs(settings(arguments)?);
    }
    let error = command.exec();
    let status = if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { UNFIT };
    Err(Stop::new(status, format!("cannot run '{}': {error}", name.display())))
}

/// What the options say, as the variables that the runtime reads.
fn settings(arguments: &RunArguments) -> Result<Vec<(&'static str, OsString)>, Stop> {
    let mut settings = vec![("OFFMEM_MEMORY", value_name(arguments.memory))];
    settings.extend(arguments.strategy.map(|value| ("OFFMEM_STRATEGY", value_name(value))));
    settings.extend(arguments.policy.map(|value| ("OFFMEM_POLICY", value_name(value))));
    settings.extend(arguments.limit.clone().map(|value| ("OFFMEM_LIMIT", value)));
    let report = match &arguments.report {
        None => None,
        Some(None) => Some("1".into()),
        // The program may change its folder before it ends.
        Some(Some(file)) => Some(absolute(file)?.into()),
    };
    settings.extend(report.map(|value| ("OFFMEM_REPORT", value)));
    Ok(settings)
}

/// The word for a value, which the variables have in common with the options.
fn value_name(value: impl ValueEnum) -> OsString {
    value.to_possible_value().map(|value| value.get_name().into()).unwrap_or_default()
}

/// Ours first, so that its hooks come before those of the others.
fn preloads(runtime: &Path, others: Option<&OsStr>) -> OsString {
    let mut list = OsString::from(runtime);
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        list.push(":");
        list.push(others);
    }
    list
}

/// The runtime's file: what the user says, else beside this program, else
/// where the loader finds it.
fn runtime(named: Option<&Path>) -> Result<PathBuf, Stop> {
    let own = env::current_exe()
        .map_err(|error| Stop::new(FAILED, format!("cannot find its own file: {error}")))?;
    let beside = || {
        let prefix = own.parent()?.parent()?;
        Some(prefix.join("lib").join(SONAME)).filter(|file| file.exists())
    };
    let file = match named {
        Some(file) => absolute(file)?,
        None => match beside() {
            Some(file) => file,
            None => installed(&own)?,
        },
    };
    let fail = |reason: &str| Err(Stop::new(FAILED, format!("'{}' {reason}", file.display())));
    match elf::kind(&file) {
        Ok(Kind::Standalone) => {}
        Ok(_) => return fail("is no library for this machine"),
        Err(error) => return fail(&format!("cannot be read: {error}")),
    }
    if file.as_os_str().as_bytes().iter().any(|byte| b": ".contains(byte)) {
        return fail(
            "cannot be preloaded: its path has a space or a colon, which LD_PRELOAD ends at",
        );
    }
    Ok(file)
}

/// Where the loader finds the runtime for a program such as this one.
fn installed(own: &Path) -> Result<PathBuf, Stop> {
    let found = match elf::kind(own) {
        Ok(Kind::Dynamic(loader)) => {
            let preload = Some(OsStr::new(SONAME));
            loader::libraries(&loader, own, preload).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let ours = found.into_iter().find(|library| library.is(SONAME));
    ours.and_then(|library| library.file).ok_or_else(|| {
        Stop::new(FAILED, format!("the runtime, {SONAME}, is not found; name it with --runtime"))
    })
}

fn absolute(file: &Path) -> Result<PathBuf, Stop> {
    path::absolute(file)
        .map_err(|error| Stop::new(FAILED, format!("'{}': {error}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::{preloads, runtime, settings};
    use crate::cli::{Cli, Command, RunArguments};
    use clap::Parser;
    use std::env;
    use std::ffi::OsStr;
    use std::path::Path;

    fn arguments(line: &str) -> RunArguments {
        let words = ["offmem", "run"].into_iter().chain(line.split(' '));
        match Cli::try_parse_from(words).map(|cli| cli.command) {
            Ok(Command::Run(arguments)) => arguments,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn variables(line: &str) -> Vec<String> {
        let settings = settings(&arguments(line)).expect("they are right");
        settings.iter().map(|(name, value)| format!("{name}={}", value.display())).collect()
    }

    #[test]
    fn options_become_variables() {
        assert_eq!(variables("x"), ["OFFMEM_MEMORY=pinned"]);
        assert_eq!(
            variables("--memory=unified --strategy=register --policy=per-map --limit=25% x"),
            [
                "OFFMEM_MEMORY=unified",
                "OFFMEM_STRATEGY=register",
                "OFFMEM_POLICY=per-map",
                "OFFMEM_LIMIT=25%",
            ]
        );
        assert_eq!(variables("--report x")[1], "OFFMEM_REPORT=1");
        assert_eq!(variables("--report=/r.json x")[1], "OFFMEM_REPORT=/r.json");
        let here = env::current_dir().expect("known").join("1");
        assert_eq!(variables("--report=1 x")[1], format!("OFFMEM_REPORT={}", here.display()));
    }

    #[test]
    fn ours_is_preloaded_first() {
        let ours = Path::new("/l/libgomp-offmem.so.1");
        assert_eq!(preloads(ours, None), ours);
        assert_eq!(preloads(ours, Some(OsStr::new(""))), ours);
        let both = preloads(ours, Some(OsStr::new("a.so:b.so")));
        assert_eq!(both, OsStr::new("/l/libgomp-offmem.so.1:a.so:b.so"));
    }

    #[test]
    fn what_is_no_runtime() {
        for (file, reason) in [
            ("/absent", "cannot be read"),
            ("/etc/passwd", "is no library"),
            ("/bin/sh", "is no library"),
        ] {
            let stop = runtime(Some(Path::new(file))).expect_err(file);
            assert!(stop.status == 125 && stop.reason.contains(reason), "{}", stop.reason);
        }
    }
}
