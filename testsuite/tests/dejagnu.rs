//! The programs under `offmem.*`, by DejaGnu's `runtest`: one test for each
//! line of its summary. The logs stay in `target/dejagnu`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use libtest_mimic::{Arguments, Failed, Trial};
use offmem_testsuite::{Compiler, Language, Stage, root, run};

const DRIVERS: [&str; 4] = ["c.exp", "c++.exp", "fortran.exp", "oacc-c.exp"];

fn main() {
    let arguments = Arguments::from_args();
    let folders: Vec<_> = DRIVERS
        .map(|driver| thread::spawn(move || runtest(driver)))
        .into_iter()
        .map(|thread| thread.join().expect("runtest ends"))
        .collect();
    let trials = folders.iter().flat_map(|folder| trials(folder)).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Runs one folder's programs; where its summary and log are.
fn runtest(driver: &str) -> PathBuf {
    let folder = root().join("target/dejagnu").join(driver.trim_end_matches(".exp"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for runtest");
    let [gcc, gxx, gfortran] = Language::ALL.map(|language| Compiler::of(language).name);
    let site = format!(
        "set GCC_UNDER_TEST {gcc}\nset GXX_UNDER_TEST {gxx}\nset GFORTRAN_UNDER_TEST {gfortran}\n"
    );
    fs::write(folder.join("site.exp"), site).expect("site.exp");
    let mut command = Command::new("runtest");
    command.args(["--tool", "offmem", "--srcdir"]).arg(root().join("testsuite")).arg(driver);
    command.current_dir(&folder).stdin(Stdio::null());
    let output = run(Stage::get().enter(&mut command));
    fs::write(folder.join("runtest.out"), &output.stdout).expect("its output");
    folder
}

/// A test for each line of the summary, and one that there is a summary at all.
fn trials(folder: &Path) -> Vec<Trial> {
    let summary = fs::read_to_string(folder.join("offmem.sum")).unwrap_or_default();
    let complete = summary.contains("=== offmem Summary ===");
    let results = summary.lines().filter_map(|line| {
        let (result, name) = line.split_once(": ")?;
        let (passed, skipped) = match result {
            "PASS" | "XFAIL" => (true, false),
            "FAIL" | "XPASS" | "UNRESOLVED" | "ERROR" => (false, false),
            "UNSUPPORTED" | "UNTESTED" => (true, true),
            _ => return None,
        };
        let log = folder.join("offmem.log").display().to_string();
        let outcome = move || if passed { Ok(()) } else { Err(Failed::from(format!("see {log}"))) };
        Some(Trial::test(name, outcome).with_ignored_flag(skipped))
    });
    let mut trials: Vec<_> = results.collect();
    let log = folder.join("runtest.out").display().to_string();
    let whole = move || if complete { Ok(()) } else { Err(Failed::from(format!("see {log}"))) };
    trials.push(Trial::test(format!("{} ran to its end", folder.display()), whole));
    trials
}
