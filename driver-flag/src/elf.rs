//! What an ELF file says of itself: whether, and how, a loader brings
//! libraries into it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use object::read::elf::{FileHeader, ProgramHeader, SectionTable};
use object::{Endianness, ReadCache, elf};

type Header = elf::FileHeader64<Endianness>;

/// `e_machine` of files for the machine that offmem was built for.
const MACHINE: elf::Machine = if cfg!(target_arch = "aarch64") {
    elf::EM_AARCH64
} else if cfg!(target_arch = "powerpc64") {
    elf::EM_PPC64
} else {
    elf::EM_X86_64
};

/// What kind of file this is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No ELF file: a script, or nothing that runs.
    Other,
    /// For another processor, word size or byte order.
    Foreign,
    /// Started by this loader, which brings its libraries.
    Dynamic(PathBuf),
    /// Started as it is: a static program. Libraries look so too.
    Standalone,
}

/// A file's kind.
///
/// # Errors
/// If it cannot be read, or is an ELF file for this machine and broken.
pub(crate) fn kind(path: &Path) -> io::Result<Kind> {
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    file.by_ref().take(20).read_to_end(&mut start)?;
    let [0x7f, b'E', b'L', b'F', class, data, _, .., low, high] = start[..] else {
        return Ok(Kind::Other);
    };
    let little = data == elf::ELFDATA2LSB.0;
    let machine =
        if little { u16::from_le_bytes([low, high]) } else { u16::from_be_bytes([low, high]) };
    let native = class == elf::ELFCLASS64.0
        && little == cfg!(target_endian = "little")
        && machine == MACHINE.0;
    if !native {
        return Ok(Kind::Foreign);
    }
    let cache = ReadCache::new(file);
    loader(&cache).map_err(io::Error::other)
}

fn loader(cache: &ReadCache<File>) -> object::Result<Kind> {
    let header = Header::parse(cache)?;
    let endian = header.endian()?;
    for segment in header.program_headers(endian, cache)? {
        if let Some(path) = segment.interpreter(endian, cache)? {
            return Ok(Kind::Dynamic(OsString::from_vec(path.to_vec()).into()));
        }
    }
    Ok(Kind::Standalone)
}

/// Whether a library defines the symbol version `node`.
///
/// # Errors
/// If it cannot be read or is broken.
pub(crate) fn defines_version(path: &Path, node: &str) -> io::Result<bool> {
    let cache = ReadCache::new(File::open(path)?);
    has_node(&cache, node).map_err(io::Error::other)
}

fn has_node(cache: &ReadCache<File>, node: &str) -> object::Result<bool> {
    let header = Header::parse(cache)?;
    let endian = header.endian()?;
    let sections: SectionTable<'_, Header, _> = header.sections(endian, cache)?;
    let Some((mut definitions, link)) = sections.gnu_verdef(endian, cache)? else {
        return Ok(false);
    };
    let names = sections.strings(endian, cache, link)?;
    while let Some((_, mut auxiliary)) = definitions.next()? {
        // The first name is the node's own, the others its ancestors'.
        let name = auxiliary.next()?.map(|name| name.name(endian, names)).transpose()?;
        if name == Some(node.as_bytes()) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::{Kind, defines_version, kind};
    use std::env;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use tempfile::TempDir;

    /// A compiled program, made by the GCC under test with these options.
    fn compiled(folder: &TempDir, options: &[&str]) -> PathBuf {
        let source = folder.path().join("x.c");
        fs::write(&source, "int main (void) { return 0; }\n").expect("a file");
        let program = folder.path().join("a.out");
        let gcc = env::var("GCC").unwrap_or_else(|_| "gcc".into());
        let mut command = Command::new(gcc);
        command.args(options).arg(&source).arg("-o").arg(&program);
        assert!(command.status().expect("gcc runs").success(), "{command:?}");
        program
    }

    #[test]
    fn programs_tell_their_loader() {
        let folder = TempDir::new().expect("a temporary folder");
        for options in [&["-pie"][..], &["-no-pie"], &["-fopenmp"]] {
            match kind(&compiled(&folder, options)).expect("readable") {
                Kind::Dynamic(loader) => assert!(loader.exists(), "{loader:?}"),
                other => panic!("{options:?}: {other:?}"),
            }
        }
        for options in [&["-static"][..], &["-static-pie"], &["-shared", "-fPIC"]] {
            let kind = kind(&compiled(&folder, options)).expect("readable");
            assert_eq!(kind, Kind::Standalone, "{options:?}");
        }
    }

    #[test]
    fn other_machines_are_told_apart() {
        let folder = TempDir::new().expect("a temporary folder");
        let program = compiled(&folder, &[]);
        let bytes = fs::read(&program).expect("readable");
        // Class, byte order, and each half of the machine.
        for at in [4, 5, 18, 19] {
            let mut changed = bytes.clone();
            changed[at] ^= 3;
            fs::write(&program, &changed).expect("writable");
            assert_eq!(kind(&program).expect("readable"), Kind::Foreign, "byte {at}");
        }
    }

    #[test]
    fn what_is_no_elf_file() {
        let folder = TempDir::new().expect("a temporary folder");
        let file = folder.path().join("x");
        for bytes in [&b""[..], b"#!/bin/sh\n", b"\x7fELF", b"\x7fELF\x02\x01\x01"] {
            fs::write(&file, bytes).expect("a file");
            assert_eq!(kind(&file).expect("readable"), Kind::Other, "{bytes:?}");
        }
        assert!(kind(&folder.path().join("absent")).is_err());
    }

    #[test]
    fn a_cut_off_program_is_broken() {
        let folder = TempDir::new().expect("a temporary folder");
        let program = compiled(&folder, &[]);
        let bytes = fs::read(&program).expect("readable");
        fs::write(&program, &bytes[..200]).expect("writable");
        assert!(kind(&program).is_err());
    }

    #[test]
    fn libgomp_defines_its_versions() {
        let gcc = env::var("GCC").unwrap_or_else(|_| "gcc".into());
        let output = Command::new(gcc).arg("-print-file-name=libgomp.so.1").output();
        let name = String::from_utf8(output.expect("gcc runs").stdout).expect("UTF-8");
        let libgomp = Path::new(name.trim());
        assert!(defines_version(libgomp, "GOMP_1.0").expect("readable"));
        assert!(defines_version(libgomp, "GOMP_5.0.1").expect("readable"));
        assert!(!defines_version(libgomp, "GOMP_5.0.9").expect("readable"));
        assert!(!defines_version(libgomp, "GOMP_").expect("readable"));
    }
}
