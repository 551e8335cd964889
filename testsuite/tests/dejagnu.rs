//! The programs under `offmem.*`, by DejaGnu's `runtest`: one test for each
//! line of its summary. All run on the host, and those with a `main` once more
//! on softcuda, where each must have run a kernel. The logs stay in
//! `target/dejagnu`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use libtest_mimic::{Arguments, Failed, Trial};
use offmem_testsuite::{Compiler, Language, Stage, root, run};

const DRIVERS: [&str; 4] = ["c.exp", "c++.exp", "fortran.exp", "oacc-c.exp"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Device {
    Host,
    Softcuda,
}

impl Device {
    const ALL: [Device; 2] = [Device::Host, Device::Softcuda];

    fn name(self) -> &'static str {
        match self {
            Device::Host => "host",
            Device::Softcuda => "softcuda",
        }
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let runs = Device::ALL.iter().flat_map(|device| DRIVERS.map(|driver| (*device, driver)));
    let runs: Vec<_> = runs
        .map(|(device, driver)| (device, thread::spawn(move || runtest(device, driver))))
        .collect();
    let mut trials = Vec::new();
    for (device, run) in runs {
        let folder = run.join().expect("runtest ends");
        trials.extend(folder_trials(device, &folder));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Runs one folder's programs; where its summary and log are.
fn runtest(device: Device, driver: &str) -> PathBuf {
    let name = format!("target/dejagnu/{}/{}", device.name(), driver.trim_end_matches(".exp"));
    let folder = root().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for runtest");
    let [gcc, gxx, gfortran] = Language::ALL.map(|language| Compiler::of(language).name);
    let mut site = format!(
        "set GCC_UNDER_TEST {gcc}\nset GXX_UNDER_TEST {gxx}\nset GFORTRAN_UNDER_TEST {gfortran}\n"
    );
    let mut command = Command::new("runtest");
    match device {
        Device::Host => Stage::get().enter(&mut command),
        Device::Softcuda => {
            site += "set OFFMEM_DEVICE softcuda\n";
            Stage::get().enter_softcuda(&mut command)
        }
    };
    fs::write(folder.join("site.exp"), site).expect("site.exp");
    command.args(["--tool", "offmem", "--srcdir"]).arg(root().join("testsuite")).arg(driver);
    command.current_dir(&folder).stdin(Stdio::null());
    fs::write(folder.join("runtest.out"), run(&mut command).stdout).expect("its output");
    folder
}

/// A test for each line of the summary, and one that there is a summary of
/// tests that were run.
fn folder_trials(device: Device, folder: &Path) -> Vec<Trial> {
    let summary = fs::read_to_string(folder.join("offmem.sum")).unwrap_or_default();
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
        let name = format!("{}: {name}", device.name());
        Some(Trial::test(name, outcome).with_ignored_flag(skipped))
    });
    let mut trials: Vec<_> = results.collect();
    // Without a compiler that works there is a summary, but no result.
    let complete = summary.contains("=== offmem Summary ===")
        && summary.lines().any(|line| line.starts_with("PASS: "));
    let log = folder.join("runtest.out").display().to_string();
    let whole = move || if complete { Ok(()) } else { Err(Failed::from(format!("see {log}"))) };
    trials.push(Trial::test(format!("{} ran to its end", folder.display()), whole));
    trials
}
