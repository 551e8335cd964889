use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use offmem_testsuite::{Compiler, Language, root, succeed};

/// What the tests consist of, and what they include.
const PARTS: [&str; 7] = [
    "include",
    "libgomp/testsuite",
    "libgomp/*.h",
    "gcc/testsuite/lib",
    "gcc/testsuite/c-c++-common/goacc",
    "gcc/testsuite/g++.dg/goacc",
    "gcc/testsuite/gfortran.dg/goacc",
];

/// GCC's testsuites, unpacked below `target`. They are GPL and not ours: run,
/// never copied into the project.
pub(crate) struct Source {
    testsuite: PathBuf,
}

impl Source {
    /// Unpacks the tests of the GCC under test, or says what is missing.
    pub(crate) fn unpack() -> Result<Source, String> {
        let version = succeed(Compiler::of(Language::C).command().arg("-dumpversion"));
        let major = version.trim().split('.').next().unwrap_or_default().to_owned();
        let package = PathBuf::from(format!("/usr/src/gcc-{major}"));
        let archive = archive(&package).ok_or_else(|| {
            format!("no GCC sources in '{}': install gcc-{major}-source", package.display())
        })?;

        let folder = root().join("target/libgomp").join(&major);
        let done = folder.join("unpacked");
        if !done.exists() {
            fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            let mut tar = Command::new("tar");
            tar.arg("-xf").arg(&archive).arg("-C").arg(&folder).arg("--strip-components=1");
            tar.args(["--wildcards", "--no-wildcards-match-slash"]);
            tar.args(PARTS.map(|part| format!("*/{part}")));
            succeed(&mut tar);
            fs::write(&done, "").map_err(|error| error.to_string())?;
        }
        Ok(Source { testsuite: folder.join("libgomp/testsuite") })
    }

    /// DejaGnu's source folder.
    pub(crate) fn testsuite(&self) -> &Path {
        &self.testsuite
    }

    /// The tests below `folders` that offload, by file name.
    pub(crate) fn offloading(&self, folders: &[&str]) -> Vec<String> {
        let mut names = Vec::new();
        for folder in folders {
            let everything = folder.contains("oacc");
            let Ok(entries) = fs::read_dir(self.testsuite.join(folder)) else {
                continue;
            };
            for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
                let text = fs::read(&path).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).to_lowercase();
                if everything || text.contains("omp target") || text.contains("omp_target") {
                    names
                        .extend(path.file_name().and_then(|name| name.to_str()).map(str::to_owned));
                }
            }
        }
        names.sort();
        names
    }
}

fn archive(package: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(package).ok()?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("gcc-") && name.contains(".tar.")
    })
}
