//! Programs that the stock compiler builds and the stock libgomp runs, on the
//! staged library.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use offmem_testsuite::Stage;

/// Compiled programs and the folder of the library; nothing where GCC cannot
/// offload.
struct Programs {
    folder: PathBuf,
}

const PROGRAMS: [(&str, &str); 5] = [
    ("vadd", "-fopenmp"),
    ("openacc", "-fopenacc"),
    ("semantics", "-fopenmp"),
    ("managed", "-fopenmp"),
    ("shutdown", "-fopenacc"),
];

/// Says so where the test harness does not swallow it.
fn skip(reason: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {reason}");
}

fn compiler() -> String {
    std::env::var("GCC").unwrap_or_else(|_| "gcc-12".to_owned())
}

impl Programs {
    fn get() -> Option<&'static Programs> {
        static STAGE: OnceLock<Option<Programs>> = OnceLock::new();
        STAGE.get_or_init(Programs::build).as_ref()
    }

    fn build() -> Option<Programs> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("offload");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::copy(Stage::get().softcuda(), folder.join("libcuda.so.1")).unwrap();
        for (program, option) in PROGRAMS {
            if let Err(reason) = compile(&folder, program, option) {
                skip(&format!("{} does not offload to nvptx: {reason}", compiler()));
                return None;
            }
        }
        Some(Programs { folder })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.folder.join(program));
        command.env("LD_LIBRARY_PATH", &self.folder);
        command
    }

    fn run(&self, program: &str, arguments: &[&str], options: &[(&str, &str)]) -> Outcome {
        Outcome::of(self.command(program).args(arguments).envs(options.iter().copied()))
    }
}

fn compile(folder: &Path, program: &str, option: &str) -> Result<(), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(program);
    let output = Command::new(compiler())
        .args(["-O2", option, "-no-pie", "-foffload=nvptx-none", "-o"])
        .args([folder.join(program).as_os_str(), source.with_extension("c").as_os_str()])
        .arg(OsStr::new("-ldl"))
        .output()
        .map_err(|error| error.to_string())?;
    let message = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(())
    } else {
        Err(message.lines().collect::<Vec<_>>().join("; "))
    }
}

struct Outcome {
    code: Option<i32>,
    signal: Option<i32>,
    out: String,
    err: String,
}

impl Outcome {
    fn of(command: &mut Command) -> Outcome {
        let Output { status, stdout, stderr } = command.output().unwrap();
        Outcome {
            code: status.code(),
            signal: status.signal(),
            out: String::from_utf8_lossy(&stdout).into_owned(),
            err: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    #[track_caller]
    fn succeeds(&self, out: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(0), out), "{}", self.err);
    }

    /// A kernel failed: one line says why, and libgomp gives up.
    #[track_caller]
    fn fails(&self, reason: &str) {
        assert_eq!(self.code, Some(1), "{}{}", self.out, self.err);
        let lines: Vec<_> =
            self.err.lines().filter(|line| line.starts_with("softcuda: ")).collect();
        assert!(lines.len() == 1 && lines[0].contains(reason), "{}", self.err);
    }
}

/// The program `semantics` for a user who may lock no memory.
fn as_nobody(programs: &Programs) -> Option<Command> {
    let become_nobody = ["--reuid=65534", "--clear-groups", "--inh-caps=-all", "prlimit"];
    let probe = Command::new("setpriv").args(become_nobody).arg("--version").output();
    if !probe.is_ok_and(|output| output.status.success()) {
        skip("only root can become somebody else");
        return None;
    }
    let mut command = Command::new("setpriv");
    command.args(become_nobody).arg("--memlock=0").arg(programs.folder.join("semantics"));
    command.env("LD_LIBRARY_PATH", &programs.folder);
    Some(command)
}

/// Runs one case of `semantics.c`.
fn semantics(programs: &Programs, case: &str) -> Outcome {
    programs.run("semantics", &[case], &[])
}

/// The program's counters.
fn statistics(
    programs: &Programs,
    program: &str,
    arguments: &[&str],
    options: &[(&str, &str)],
) -> serde_json::Value {
    let case = std::thread::current().name().unwrap_or_default().replace(':', "-");
    let path = programs.folder.join(format!("{case}.json"));
    let _ = std::fs::remove_file(&path);
    let mut all = vec![("SOFTCUDA_STATS", path.to_str().unwrap())];
    all.extend_from_slice(options);
    let outcome = programs.run(program, arguments, &all);
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.out, outcome.err);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// What `managed.c` says of a kernel that has used 1000 numbers.
const USED: &str = "host 0 sum 499500 fifth -5\n";

macro_rules! cases {
    ($($name:ident |$programs:ident| $body:block)*) => {
        $(#[test]
        fn $name() {
            let Some($programs) = Programs::get() else { return };
            $body
        })*
    };
}

cases! {
    openmp_offloads |programs| {
        programs.run("vadd", &[], &[]).succeeds("devices 1 wrong 0\n");
    }

    openacc_offloads |programs| {
        for mode in ["immediate", "deferred"] {
            let options = [("SOFTCUDA_ASYNC", mode), ("SOFTCUDA_WARPS", "32")];
            programs.run("openacc", &[], &options).succeeds("host 0 wrong 0\n");
        }
    }

    deferred_work_is_done_when_libgomp_synchronises |programs| {
        let options = [("SOFTCUDA_ASYNC", "deferred")];
        programs.run("vadd", &["5000"], &options).succeeds("devices 1 wrong 0\n");
    }

    two_devices_offload |programs| {
        let options = [("SOFTCUDA_DEVICES", "2")];
        programs.run("vadd", &[], &options).succeeds("devices 2 wrong 0\n");
    }

    what_libgomp_copies_is_counted |programs| {
        let counted = statistics(programs, "vadd", &["1000"], &[]);
        assert!(counted["htod_pageable_bytes"].as_i64() >= Some(8000), "{counted}");
        assert!(counted["dtoh_pageable_bytes"].as_i64() >= Some(4000), "{counted}");
        assert_eq!(counted["htod_pinned_bytes"], 0);
        assert_eq!(counted["kernels"], 2);
        assert!(counted["instructions"].as_i64() > Some(1000));
        assert_eq!(counted["live_device_bytes"], 0);
    }

    time_is_modelled |programs| {
        let counted = statistics(programs, "vadd", &[], &[("SOFTCUDA_COSTS", "v100-pcie3")]);
        assert!(counted["virtual_seconds"].as_f64() > Some(0.0), "{counted}");
    }

    a_pace_is_on_the_wall |programs| {
        let began = std::time::Instant::now();
        let options = [("SOFTCUDA_COSTS", "v100-pcie3"), ("SOFTCUDA_PACE", "100")];
        let counted = statistics(programs, "vadd", &["1000"], &options);
        let seconds = counted["virtual_seconds"].as_f64().unwrap();
        // More than 100 times the five calls' own cost, so not by chance.
        assert!(seconds > 20e-6, "{counted}");
        assert!(began.elapsed().as_secs_f64() >= 100.0 * seconds, "{counted}");
    }

    statistics_go_to_standard_error |programs| {
        let outcome = programs.run("vadd", &[], &[("SOFTCUDA_STATS", "1"), ("SOFTCUDA_TRACE", "1")]);
        outcome.succeeds("devices 1 wrong 0\n");
        assert!(outcome.err.contains("softcuda: statistics\n"));
        assert!(outcome.err.contains("softcuda: cuLaunchKernel "));
        let last_call = outcome.err.find("cuCtxDestroy_v2").unwrap();
        assert!(last_call < outcome.err.find("statistics").unwrap());
    }

    a_bad_option_is_one_line |programs| {
        let outcome = programs.run("vadd", &[], &[("SOFTCUDA_ASYNC", "later")]);
        assert_eq!(outcome.out, "devices 0 wrong 0\n");
        let line = "softcuda: SOFTCUDA_ASYNC=later: valid is immediate, deferred\n";
        assert_eq!(outcome.err, line);
        let options = [("SOFTCUDA_FAIL", "cuMemAloc:1=2")];
        assert!(programs.run("vadd", &[], &options).err.contains("no function cuMemAloc"));
    }

    without_devices_the_host_computes |programs| {
        let outcome = programs.run("vadd", &[], &[("SOFTCUDA_DEVICES", "0")]);
        assert_eq!((outcome.code, outcome.err.as_str()), (Some(1), ""));
    }

    failures_are_injected |programs| {
        let outcome = programs.run("vadd", &[], &[("SOFTCUDA_FAIL", "cuMemAlloc_v2:*=2")]);
        assert_eq!(outcome.code, Some(1));
        assert!(outcome.err.contains("out of memory"), "{}", outcome.err);
        let options = [("SOFTCUDA_FAIL", "cuMemHostRegister_v2:1=OUT_OF_MEMORY")];
        let outcome = programs.run("semantics", &["registered"], &options);
        assert!(outcome.out.starts_with("register 2\n"), "{}", outcome.out);
    }

    kernels_use_registered_memory |programs| {
        semantics(programs, "registered")
            .succeeds("register 0\nsum 199990000 fifth -5\nagain 712 unregister 0 again 713\n");
    }

    kernels_use_managed_memory |programs| {
        semantics(programs, "managed").succeeds("managed 0\nsum 199990000 fifth -5\n");
        let options = [("SOFTCUDA_CONCURRENT_MANAGED", "0")];
        let outcome = programs.run("semantics", &["managed"], &options);
        outcome.succeeds("managed 0\nsum 199990000 fifth -5\n");
    }

    kernels_use_allocated_memory |programs| {
        semantics(programs, "allocated").succeeds("allocated 0\nsum 199990000 fifth -5\n");
    }

    kernels_do_not_use_plain_memory |programs| {
        semantics(programs, "plain").fails("neither registered nor managed");
        let options = [("SOFTCUDA_PAGEABLE_ACCESS", "1")];
        programs.run("semantics", &["plain"], &options).succeeds("sum 199990000 fifth -5\n");
    }

    kernels_do_not_use_what_was_unregistered |programs| {
        let outcome = semantics(programs, "unregistered");
        outcome.fails("neither registered nor managed");
        assert_eq!(outcome.out, "sum 199990000 fifth -5\n");
    }

    the_host_does_not_use_device_memory |programs| {
        assert_eq!(semantics(programs, "dereference").signal, Some(11));
    }

    an_overrun_is_found |programs| {
        semantics(programs, "overrun").fails("4 bytes past the end of an allocation of 80000");
    }

    freed_device_memory_is_not_used |programs| {
        // What is said depends on what libgomp has put there since.
        semantics(programs, "freed").fails("load of 4 bytes at");
    }

    a_kernel_may_abort |programs| {
        let outcome = semantics(programs, "abort");
        assert_eq!(outcome.code, Some(1));
        assert!(!outcome.err.contains("softcuda: "), "{}", outcome.err);
        let traced = programs.run("semantics", &["abort"], &[("SOFTCUDA_TRACE", "1")]);
        assert!(traced.err.contains("trap, in abort"), "{}", traced.err);
    }

    memory_is_separate |programs| {
        semantics(programs, "stale").succeeds("y 1\n");
    }

    new_pages_are_seen_without_a_registration |programs| {
        semantics(programs, "remapped").succeeds("device saw 2 host has 3\n");
    }

    old_pages_are_used_with_one |programs| {
        for way in ["auto", "ring", "pipe"] {
            let options = [("SOFTCUDA_PIN", way)];
            programs
                .run("semantics", &["remapped-registered"], &options)
                .succeeds("register 0\ndevice saw 1 host has 2\n");
        }
    }

    managed_memory_outlives_libgomp_in_a_context_that_it_shares |programs| {
        let outcome = programs.run("managed", &["outlives"], &[]);
        outcome.succeeds(&format!("shared 1\n{USED}at the end -6\n"));
    }

    managed_memory_outlives_a_shutdown_in_a_context_that_is_shared |programs| {
        let outcome = programs.run("shutdown", &[], &[]);
        let expected = "host 0 fifth 6\nclosed, fifth 16\nhost 0 fifth 17\n";
        // The program reads it once more, after the last release.
        assert_eq!((outcome.out.as_str(), outcome.signal), (expected, Some(11)));
    }

    managed_memory_ends_with_its_context |programs| {
        let outcome = programs.run("managed", &["ends"], &[]);
        assert_eq!((outcome.signal, outcome.out), (Some(11), format!("{USED}at the end ")));
        let outcome = programs.run("managed", &["reset"], &[]);
        assert_eq!((outcome.signal, outcome.out.as_str()), (Some(11), USED));
    }

    kernels_follow_pointers_through_managed_memory |programs| {
        let expected = "sum 74850 good 1\ncounter 1000 total 499500\n";
        programs.run("managed", &["chase"], &[]).succeeds(expected);
        let counted = statistics(programs, "managed", &["chase"], &[]);
        assert_eq!(counted["managed_allocations"], 302);
        assert_eq!((&counted["live_managed"], &counted["managed_frees"]), (&302.into(), &0.into()));
        assert_eq!(counted["managed_copy_bytes"], 0);
    }

    host_and_kernel_share_managed_memory_while_it_runs |programs| {
        programs.run("managed", &["converse"], &[]).succeeds("sum 1045\n");
    }

    a_child_has_no_managed_memory |programs| {
        let replaced = "replacing signal 0 code 7\nparent has 5\n";
        let outcome = programs.run("managed", &["fork"], &[]);
        outcome.succeeds(&format!("touching signal 11 code -1\n{replaced}"));
        let options = [("SOFTCUDA_RULES", "managed-fork=accept")];
        let outcome = programs.run("managed", &["fork"], &options);
        outcome.succeeds(&format!("touching signal 0 code 5\n{replaced}"));
    }

    there_may_be_no_managed_memory |programs| {
        for (options, error) in [
            (("SOFTCUDA_MANAGED", "0"), 801),
            (("SOFTCUDA_MANAGED_LIMIT", "3999"), 2),
            (("SOFTCUDA_FAIL", "cuMemAllocManaged:1=OUT_OF_MEMORY"), 2),
        ] {
            let outcome = programs.run("managed", &["ask"], &[options]);
            outcome.succeeds(&format!("managed {error}\n"));
        }
    }

    kernels_use_all_host_memory_with_pageable_access |programs| {
        for option in ["SOFTCUDA_PAGEABLE_ACCESS", "SOFTCUDA_HOST_PAGE_TABLES"] {
            let outcome = programs.run("managed", &["anywhere"], &[(option, "1")]);
            outcome.succeeds(&USED.repeat(3));
        }
    }

    registered_memory_needs_no_flag |programs| {
        let expected = format!("register 0\n{USED}");
        programs.run("managed", &["registered"], &[]).succeeds(&expected);
    }

    managed_memory_costs_time_to_move |programs| {
        let options = [("SOFTCUDA_COSTS", "h100-pcie")];
        let counted = statistics(programs, "managed", &["outlives"], &options);
        assert_eq!(counted["migrated_to_device_bytes"], 4096, "{counted}");
    }

    a_child_has_no_driver_and_its_parent_keeps_its_pages |programs| {
        semantics(programs, "fork").succeeds("child 3\nparent saw 4\n");
    }

    without_io_uring_pipes_hold_the_pages |programs| {
        let outcome = semantics(programs, "remapped-without-io_uring");
        outcome.succeeds("register 0\ndevice saw 1 host has 2\n");
        assert!(outcome.err.contains("io_uring cannot pin"), "{}", outcome.err);
        assert!(outcome.err.contains("using pipes"), "{}", outcome.err);
        assert_eq!(outcome.err.lines().count(), 1);
    }

    ordinary_users_pin_without_locked_memory |programs| {
        let Some(mut command) = as_nobody(programs) else { return };
        let outcome = Outcome::of(command.arg("remapped-registered"));
        outcome.succeeds("register 0\ndevice saw 1 host has 2\n");
        assert!(outcome.err.contains("using pipes"), "{}", outcome.err);
        assert_eq!(outcome.err.lines().count(), 1);
    }

    what_cannot_be_checked_is_not_registered |programs| {
        let Some(mut command) = as_nobody(programs) else { return };
        let outcome = Outcome::of(command.arg("registered").env("SOFTCUDA_PIN", "frames"));
        assert!(outcome.out.starts_with("register 304\n"), "{}", outcome.out);
        assert!(outcome.err.contains("frame numbers are for root only"), "{}", outcome.err);
    }
}
