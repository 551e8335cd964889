//! What the dynamic loader would bring into a program. The loader itself is
//! asked: nobody else knows its paths, caches and hardware folders.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A library of a program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Library {
    /// As the program, or another library, asks for it.
    pub(crate) name: OsString,
    /// Where it is, unless it is missing or has no file.
    pub(crate) file: Option<PathBuf>,
}

impl Library {
    /// Whether it goes by this name, in whichever folder.
    pub(crate) fn is(&self, name: &str) -> bool {
        Path::new(&self.name).file_name() == Some(OsStr::new(name))
    }
}

/// Every library of `program`, as the environment is now and with `preload`
/// before them. Nothing of the program runs.
///
/// # Errors
/// If the loader does not run or refuses the program.
pub(crate) fn libraries(
    loader: &Path,
    program: &Path,
    preload: Option<&OsStr>,
) -> io::Result<Vec<Library>> {
    let mut command = Command::new(loader);
    command.arg("--list").arg(program).stdin(Stdio::null());
    if let Some(preload) = preload {
        command.env("LD_PRELOAD", preload);
    }
    let output = command.output()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(text.lines().next().unwrap_or("no reason").to_owned()));
    }
    Ok(output.stdout.split(|byte| *byte == b'\n').filter_map(library).collect())
}

/// A line: `NAME => FILE (0x…)`, `NAME => not found`, `FILE (0x…)`.
fn library(line: &[u8]) -> Option<Library> {
    let line = line.trim_ascii();
    let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let end = line.windows(4).rposition(|bytes| bytes == b" (0x");
    let whole = &line[..end.unwrap_or(line.len())];
    match whole.windows(4).position(|bytes| bytes == b" => ") {
        Some(arrow) => {
            let file = end.map(|_| PathBuf::from(text(&whole[arrow + 4..])));
            Some(Library { name: text(&whole[..arrow]), file })
        }
        None if end.is_some() => {
            let name = text(whole);
            let file = name.as_bytes().contains(&b'/').then(|| PathBuf::from(&name));
            Some(Library { name, file })
        }
        // "statically linked"
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Library, libraries, library};
    use std::env;
    use std::path::Path;

    use crate::elf::{self, Kind};

    #[test]
    fn lines_of_the_loader() {
        let of = |line: &str| library(line.as_bytes());
        let made = |name: &str, file: Option<&str>| {
            Some(Library { name: name.into(), file: file.map(Into::into) })
        };
        assert_eq!(
            of("\tlibgomp.so.1 => /usr/lib/libgomp.so.1 (0x00007f0000000000)"),
            made("libgomp.so.1", Some("/usr/lib/libgomp.so.1"))
        );
        assert_eq!(
            of("\tlibx.so => /a (0x1) b/libx.so (0x2)"),
            made("libx.so", Some("/a (0x1) b/libx.so"))
        );
        assert_eq!(of("\tlibgomp.so.1 => not found"), made("libgomp.so.1", None));
        assert_eq!(of("\t/opt/l/libx.so (0x7f)"), made("/opt/l/libx.so", Some("/opt/l/libx.so")));
        assert_eq!(of("\tlinux-vdso.so.1 (0x7f)"), made("linux-vdso.so.1", None));
        assert_eq!(of("\tstatically linked"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn our_own_libraries() {
        let program = env::current_exe().expect("known");
        let Kind::Dynamic(loader) = elf::kind(&program).expect("readable") else {
            panic!("a dynamic program");
        };
        let found = libraries(&loader, &program, None).expect("a list");
        let libc = found.iter().find(|library| library.is("libc.so.6")).expect("in the list");
        assert!(libc.file.as_deref().is_some_and(Path::exists), "{libc:?}");
        assert!(!found.iter().any(|library| library.is("libgomp.so.1")));
        assert!(libraries(&loader, Path::new("/etc/passwd"), None).is_err());
    }
}
