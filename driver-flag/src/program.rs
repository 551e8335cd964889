//! A program to be run, and whether a preloaded runtime can serve it.

use std::env;
use std::ffi::{CString, OsStr};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::elf::{self, Kind};
use crate::loader;

/// The version of libgomp's symbols that GCC 11 introduced.
const GCC_11: &str = "GOMP_5.0.1";

/// Why a program is not run. The text goes on where `PROGRAM` ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is none of this name.
    NotFound,
    /// It is there.
    Unfit(String),
}

/// Where `execvp` finds a program: in `PATH` unless its name has a slash.
pub(crate) fn find(name: &OsStr) -> Result<PathBuf, Refusal> {
    if name.as_bytes().contains(&b'/') {
        return executable(Path::new(name)).map(|()| PathBuf::from(name));
    }
    // The libc's path where none is set.
    let path = env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let mut refusal = Refusal::NotFound;
    for folder in env::split_paths(&path) {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder.as_path() };
        let file = here.join(name);
        match executable(&file) {
            Ok(()) => return Ok(file),
            Err(Refusal::NotFound) => {}
            Err(unfit) => refusal = unfit,
        }
    }
    Err(refusal)
}

fn executable(file: &Path) -> Result<(), Refusal> {
    let unfit = |reason: &str| Err(Refusal::Unfit(reason.to_owned()));
    match fs::metadata(file) {
        Ok(metadata) if metadata.is_dir() => unfit("is a folder"),
        Ok(_) if may_execute(file) => Ok(()),
        Ok(_) => unfit("may not be executed"),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Err(Refusal::NotFound),
            _ => unfit(&format!("cannot be reached: {error}")),
        },
    }
}

fn may_execute(file: &Path) -> bool {
    CString::new(file.as_os_str().as_bytes()).is_ok_and(|file| {
        // SAFETY: the name is a C string.
        unsafe { libc::access(file.as_ptr(), libc::X_OK) == 0 }
    })
}

/// Refuses a program that would run without the runtime although it was asked
/// for. Scripts pass: what they start inherits the environment.
pub(crate) fn check(file: &Path, force: bool) -> Result<(), Refusal> {
    let unfit = |reason: String| Err(Refusal::Unfit(reason));
    let kind = match elf::kind(file) {
        Ok(kind) => kind,
        // A program may be executable and not readable.
        Err(error) => return unfit(format!("cannot be read: {error}")),
    };
    let loader = match kind {
        Kind::Other => return Ok(()),
        Kind::Foreign => return unfit("is a program for another machine".into()),
        Kind::Standalone => {
            return unfit(
                "is static: no library can be brought into it; link it dynamically".into(),
            );
        }
        Kind::Dynamic(loader) => loader,
    };
    if let Some(privilege) = privilege(file) {
        return unfit(format!("{privilege}: the loader brings no library of ours into it"));
    }
    if !loader.exists() {
        return unfit(format!("needs the loader '{}', which is missing", loader.display()));
    }
    let libraries = match loader::libraries(&loader, file, None) {
        Ok(libraries) => libraries,
        Err(error) => return unfit(format!("is refused by its loader: {error}")),
    };
    let Some(libgomp) = libraries.iter().find(|library| library.is("libgomp.so.1")) else {
        return if force {
            Ok(())
        } else {
            unfit(
                "uses no shared libgomp, so it does not itself offload; put 'offmem run' behind a \
                 launcher (mpirun -n 4 offmem run -- PROGRAM), or use --force for a program that \
                 loads libgomp later or starts others"
                    .into(),
            )
        };
    };
    // One that is missing is the loader's to tell of.
    let Some(libgomp) = &libgomp.file else {
        return Ok(());
    };
    match elf::defines_version(libgomp, GCC_11) {
        Ok(true) => Ok(()),
        Ok(false) => unfit(format!("uses '{}', which is older than GCC 11's", libgomp.display())),
        Err(error) => unfit(format!("uses '{}', which is unreadable: {error}", libgomp.display())),
    }
}

/// Why the loader would distrust our environment, which is where a program
/// gets rights that its user has not.
fn privilege(file: &Path) -> Option<&'static str> {
    let metadata = fs::metadata(file).ok()?;
    // SAFETY: asks for numbers.
    let (user, group) = unsafe { (libc::getuid(), libc::getgid()) };
    if let Some(reason) = foreign_identity(&metadata, user, group) {
        return Some(reason);
    }
    // The superuser's capabilities do not grow.
    (user != 0 && has_capabilities(file)).then_some("has file capabilities")
}

fn foreign_identity(metadata: &Metadata, user: u32, group: u32) -> Option<&'static str> {
    let mode = metadata.permissions().mode();
    // Without the group's execute bit, the other one means locking.
    let setgid = libc::S_ISGID | libc::S_IXGRP;
    if mode & libc::S_ISUID != 0 && metadata.uid() != user {
        Some("is setuid")
    } else if mode & setgid == setgid && metadata.gid() != group {
        Some("is setgid")
    } else {
        None
    }
}

fn has_capabilities(file: &Path) -> bool {
    CString::new(file.as_os_str().as_bytes()).is_ok_and(|file| {
        let name = c"security.capability".as_ptr();
        // SAFETY: both are C strings, and without a buffer only the size is asked for.
        unsafe { libc::getxattr(file.as_ptr(), name, std::ptr::null_mut(), 0) > 0 }
    })
}

#[cfg(test)]
mod tests {
    use super::{Refusal, check, find, foreign_identity};
    use std::ffi::OsStr;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;

    use tempfile::TempDir;

    #[test]
    fn a_shells_way_to_programs() {
        assert!(find(OsStr::new("sh")).expect("it exists").ends_with("sh"));
        assert_eq!(find(OsStr::new("/bin/sh")).expect("it exists"), Path::new("/bin/sh"));
        assert_eq!(find(OsStr::new("no-such-program")), Err(Refusal::NotFound));
        assert_eq!(find(OsStr::new("/bin/sh/x")), Err(Refusal::NotFound));
        assert_eq!(find(OsStr::new("/etc")), Err(Refusal::Unfit("is a folder".into())));
        let plain = find(OsStr::new("/etc/passwd"));
        assert_eq!(plain, Err(Refusal::Unfit("may not be executed".into())));
    }

    #[test]
    fn a_program_without_libgomp_needs_force() {
        let shell = find(OsStr::new("sh")).expect("it exists");
        match check(&shell, false) {
            Err(Refusal::Unfit(reason)) => assert!(reason.contains("--force"), "{reason}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(check(&shell, true), Ok(()));
    }

    #[test]
    fn somebody_elses_identity() {
        let folder = TempDir::new().expect("a temporary folder");
        let file = folder.path().join("x");
        fs::write(&file, "").expect("a file");
        let reason = |mode, user: u32, group: u32| {
            fs::set_permissions(&file, Permissions::from_mode(mode)).expect("a mode");
            let metadata = fs::metadata(&file).expect("it exists");
            foreign_identity(&metadata, metadata.uid() + user, metadata.gid() + group)
        };
        assert_eq!(reason(0o755, 1, 1), None);
        assert_eq!(reason(0o4755, 1, 0), Some("is setuid"));
        assert_eq!(reason(0o4755, 0, 0), None, "its owner's own");
        assert_eq!(reason(0o2755, 0, 1), Some("is setgid"));
        assert_eq!(reason(0o2745, 0, 1), None, "not executable by its group");
    }
}
