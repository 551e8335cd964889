//! Where a report goes.

use core::ffi::{CStr, c_char};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::document::{Document, Process};
use crate::message;

unsafe extern "C" {
    /// glibc's: the program's name without its folder.
    static program_invocation_short_name: *const c_char;
}

/// `OFFMEM_REPORT`'s value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// Text on standard error.
    StandardError,
    /// JSON in a file: a pattern for its name.
    File(PathBuf),
}

impl Destination {
    /// A relative name is below the folder in which the process is now, as its
    /// user wrote it, and not where the program goes later.
    pub(super) fn of(value: &CStr) -> Destination {
        if value == c"1" {
            return Destination::StandardError;
        }
        let name = Path::new(OsStr::from_bytes(value.to_bytes()));
        Destination::File(match std::env::current_dir() {
            Ok(folder) => folder.join(name),
            Err(_) => name.to_owned(),
        })
    }

    /// Writes the report there; on failure says where that was.
    pub(super) fn write(&self, document: &Document) -> Result<(), (PathBuf, io::Error)> {
        match self {
            Destination::StandardError => {
                message::print(&document.to_string());
                Ok(())
            }
            Destination::File(pattern) => {
                let file = expand(pattern, &document.process);
                let json = serde_json::to_string_pretty(document).map_err(io::Error::from);
                match json.and_then(|json| fs::write(&file, json + "\n")) {
                    Ok(()) => Ok(()),
                    Err(error) => Err((file, error)),
                }
            }
        }
    }
}

/// This process.
pub(super) fn process() -> Process {
    // SAFETY: glibc's variable, set before any library is initialised; a C string.
    let program = unsafe { CStr::from_ptr(program_invocation_short_name) };
    // SAFETY: asks for a number.
    Process { program: program.to_string_lossy().into_owned(), pid: unsafe { libc::getpid() } }
}

/// The pattern with core(5)'s `%p` (process), `%e` (program), `%h` (host) and
/// `%%` filled in; any other `%` stands for itself.
fn expand(pattern: &Path, process: &Process) -> PathBuf {
    let mut name = Vec::new();
    let mut rest = pattern.as_os_str().as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match (byte, rest.first()) {
            (b'%', Some(b'p')) => name.extend(process.pid.to_string().into_bytes()),
            (b'%', Some(b'e')) => name.extend(process.program.bytes()),
            (b'%', Some(b'h')) => name.extend(host()),
            (b'%', Some(b'%')) => name.push(b'%'),
            _ => {
                name.push(byte);
                continue;
            }
        }
        rest = &rest[1..];
    }
    OsString::from_vec(name).into()
}

fn host() -> Vec<u8> {
    let mut name = [0u8; 256];
    // SAFETY: the last byte stays 0, so that it is a C string.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    name.into_iter().take_while(|byte| *byte != 0).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Destination, Process, expand, host};
    use crate::report::document::tests::example;

    #[test]
    fn one_is_standard_error_and_names_are_files() {
        assert_eq!(Destination::of(c"1"), Destination::StandardError);
        assert_eq!(Destination::of(c"/a/1"), Destination::File("/a/1".into()));
        let here = std::env::current_dir().expect("a folder");
        assert_eq!(Destination::of(c"r.json"), Destination::File(here.join("r.json")));
    }

    #[test]
    fn names_are_filled_in() {
        let process = Process { program: "stream".to_owned(), pid: 4711 };
        let expand = |pattern: &str| expand(Path::new(pattern), &process).display().to_string();
        assert_eq!(expand("/r/%e-%p.json"), "/r/stream-4711.json");
        assert_eq!(expand("%%p%x%"), "%p%x%");
        assert_eq!(expand("%h.json").into_bytes(), [host(), b".json".to_vec()].concat());
        assert!(!host().is_empty());
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let destination = Destination::File("/dev/null/%e.json".into());
        let (file, error) = destination.write(&example()).expect_err("no folder");
        assert_eq!(file, Path::new("/dev/null/stream.json"));
        assert_eq!(error.raw_os_error(), Some(libc::ENOTDIR));
    }
}
