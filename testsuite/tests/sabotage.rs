//! Each protection of the runtime is taken away in turn (features `sabotage-*` of
//! `libgomp-ext`), and something fails: the random sequences of `testsuite/churn`,
//! or a program of `testsuite/sabotage` where chance would take too long. For those of
//! unified memory one build does, which reads from `OFFMEM_SABOTAGE` what to do without,
//! and most of what fails are programs of `testsuite/offmem.*`.
//! What `registration` does alone is taken away under loom (`loom.rs`) or, as what `pool`
//! does, in the crate's own tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

use offmem_testsuite::{
    Churn, Compiler, Language, SETTINGS, Stage, root, run, skipped, succeed, text,
};

/// What fails without a protection.
enum Proof {
    /// One of these first seeds, with `OFFMEM_POLICY=eager`.
    Churn,
    /// A program with its argument and variables, in the way that is given.
    Program(&'static str, &'static str, &'static [(&'static str, &'static str)], Wrong),
}
use Proof::{Churn as Sequences, Program};

/// How a program shows that the protection is missing.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    /// It fails.
    Fails,
    /// It ends with this status. With the protection it is ended.
    Status(i32),
    /// The driver's trace shows calls behind the end of the context.
    CallsLate,
    /// It shows one behind the line `the end`.
    CallsAtEnd(&'static str),
}
use Wrong::{CallsAtEnd, CallsLate, Fails, Status};

const LIMITED: &[(&str, &str)] = &[("OFFMEM_LIMIT", "3M")];
const DEFERRED: &[(&str, &str)] = &[("OFFMEM_LIMIT", "3M"), ("SOFTCUDA_ASYNC", "deferred")];
const STUBBORN: &[(&str, &str)] = &[("SOFTCUDA_FAIL", "cuMemHostUnregister:*=1")];
const TRACED: &[(&str, &str)] = &[("SOFTCUDA_TRACE", "1")];

const TABLE: [(&str, Proof); 19] = [
    ("munmap", Sequences),
    ("mremap", Sequences),
    ("madvise", Sequences),
    ("map-fixed", Sequences),
    ("shmdt", Sequences),
    ("dlclose", Sequences),
    ("keep", Sequences),
    ("realloc", Sequences),
    ("straddle", Sequences),
    ("fork", Program("fork", "", &[], Fails)),
    ("mprotect", Program("mprotect", "", &[], Fails)),
    ("forget", Program("forget", "", LIMITED, Fails)),
    ("settle", Program("settle", "", LIMITED, Fails)),
    ("flight", Program("flight", "", &[], Fails)),
    ("sticky", Program("sticky", "", DEFERRED, Fails)),
    ("unmapped", Program("unmapped", "", &[], Fails)),
    ("later", Program("unmapped", "later", &[], Fails)),
    ("poison", Program("poison", "", STUBBORN, Status(3))),
    ("exit", Program("exit", "", TRACED, CallsLate)),
];

/// What the tests of a crate notice: the crate, the feature, the file (none: a unit test), and
/// the test that fails.
const OWN: [(&str, &str, &str, &str); 4] = [
    ("policy", "guard", "competitive", "no_trace_costs_twice_the_optimum"),
    ("pool", "merge", "slabs", "no_block_crosses_from_one_slab_into_the_next"),
    ("pool", "give-back", "slabs", "what_the_source_does_not_take_is_used_again"),
    ("registration", "withdraw", "", "only_an_idle_region_is_withdrawn"),
];

const TWO_SLABS: &[(&str, &str)] = &[("OFFMEM_UNIFIED_POOL", "64M")];

/// What fails without a protection of unified memory: a source file below `testsuite`,
/// with variables.
type Unified = (&'static str, &'static str, &'static [(&'static str, &'static str)], Wrong);

const UNIFIED: [Unified; 14] = [
    ("filter", "offmem.c-c++-common/unified-update.c", &[], Fails),
    ("reroute", "offmem.c-c++-common/unified-memcpy.c", &[], Fails),
    ("restore", "offmem.c/unified-pointers.c", &[], Fails),
    ("first", "offmem.c-c++-common/unified-map.c", &[], Fails),
    ("primary", "sabotage/primary.c", &[], Fails),
    ("roster", "sabotage/roster.c", &[], Fails),
    ("window", "sabotage/window.c", &[], Fails),
    ("libcs", "offmem.c/unified-own-malloc.c", &[], Fails),
    ("standard", "offmem.c++/unified-replaced-new.C", &[], Fails),
    ("language", "offmem.c++/unified-containers.C", &[], Fails),
    ("child", "offmem.c/unified-fork.c", &[], Fails),
    ("disassociate", "sabotage/disassociate.c", TWO_SLABS, Fails),
    ("hold", "sabotage/hold.c", TWO_SLABS, Fails),
    ("close", "sabotage/close.c", TRACED, CallsAtEnd("cuMemAllocManaged")),
];

/// Chance has so many tries without a protection, and so many with all of them.
const TRIES: u64 = 16;
const TRIES_WHOLE: u64 = 4;
const OPERATIONS: u64 = 4000;

impl Wrong {
    fn shows(self, output: &Output) -> bool {
        match self {
            Fails => !output.status.success(),
            Status(status) => output.status.code() == Some(status),
            CallsLate => {
                let text = text(output);
                let end = text.rfind("cuCtxDestroy_v2").expect("the context ends");
                text[end..].contains("softcuda: cuCtxPushCurrent")
            }
            CallsAtEnd(function) => {
                let text = text(output);
                let end = text.find("the end\n").expect("the program's line");
                text[end..].contains(&format!("softcuda: {function} "))
            }
        }
    }
}

impl Proof {
    /// Fails in one of so many tries with the runtime in this folder, or says what it said.
    fn fails(&self, churn: &Churn, runtime: &Path, tries: u64) -> Result<(), String> {
        let mut said = String::new();
        for seed in 1..=tries {
            let (mut command, wrong) = match self {
                Sequences => {
                    let threads = if seed % 2 == 0 { 1 } else { 3 };
                    (churn.command(seed, OPERATIONS, threads, &SETTINGS[0]), Fails)
                }
                Program(name, argument, variables, wrong) => {
                    let mut command = Command::new(folder().join(name));
                    Stage::get().enter_softcuda(&mut command).arg(argument);
                    command.envs(variables.iter().copied());
                    (command, *wrong)
                }
            };
            command.env("OFFMEM_POLICY", "eager");
            let output = run(with(&mut command, runtime));
            if wrong.shows(&output) {
                return Ok(());
            }
            said += &text(&output);
        }
        Err(said)
    }
}

fn folder() -> PathBuf {
    root().join("target/sabotage")
}

/// Has a program use the runtime in this folder.
fn with<'c>(command: &'c mut Command, runtime: &Path) -> &'c mut Command {
    let folders = command.get_envs().find(|(name, _)| *name == "LD_LIBRARY_PATH");
    let folders = folders.and_then(|(_, value)| value).expect("the stage's folders");
    let folders = format!("{}:{}", runtime.display(), folders.display());
    command.env("LD_LIBRARY_PATH", folders)
}

/// The unified program fails without its protection, or (`lacks` is false) with it; or
/// what it said.
fn fails(
    &(protection, _, variables, wrong): &Unified,
    runtime: &Path,
    lacks: bool,
) -> Result<(), String> {
    let mut said = String::new();
    for _ in 0..if lacks { TRIES } else { 1 } {
        let mut command = Command::new(folder().join(format!("unified-{protection}")));
        Stage::get().enter_softcuda(&mut command).envs(variables.iter().copied());
        if lacks {
            command.env("OFFMEM_SABOTAGE", protection);
        }
        let output = run(with(&mut command, runtime));
        if wrong.shows(&output) {
            return Ok(());
        }
        said += &text(&output);
    }
    Err(said)
}

/// Compiles a unified program.
fn compile_unified(&(protection, source, ..): &Unified) {
    let language = match source.rsplit('.').next() {
        Some("C") => Language::Cxx,
        Some("f90") => Language::Fortran,
        _ => Language::C,
    };
    let openacc = matches!(protection, "primary" | "roster");
    let construct = if openacc { "-fopenacc" } else { "-fopenmp" };
    let mut gcc = Compiler::of(language).command();
    gcc.args([construct, "-O1", "-no-pie", "-foffload=nvptx-none", "-foffload-memory=unified"]);
    gcc.arg(root().join("testsuite").join(source)).args(["-ldl", "-lm", "-o"]);
    gcc.arg(format!("unified-{protection}"));
    succeed(Stage::get().enter(&mut gcc).current_dir(folder()));
}

/// Compiles a program of `testsuite/sabotage`.
fn compile(name: &str) {
    let mut gcc = Compiler::of(Language::C).command();
    // The two languages do not share a device.
    let language = if name == "sticky" { "-fopenacc" } else { "-fopenmp" };
    gcc.args([language, "-O1", "-no-pie", "-foffload=nvptx-none", "-foffload-memory=pinned"]);
    gcc.arg(root().join(format!("testsuite/sabotage/{name}.c"))).args(["-o", name]);
    succeed(Stage::get().enter(&mut gcc).current_dir(folder()));
}

/// The test of a crate, with a feature.
fn own(krate: &str, feature: &str, file: &str, test: &str) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "-p", &format!("offmem-{krate}"), "--features", feature]);
    if file.is_empty() {
        cargo.arg("--lib");
    } else {
        cargo.args(["--test", file]);
    }
    run(cargo.arg(test).current_dir(root()).env("CARGO_TARGET_DIR", folder()))
}

/// Builds the runtime, without a protection if one is named; the folder it is in.
fn build(feature: Option<&str>) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "-p", "offmem-libgomp"]).current_dir(root());
    if let Some(feature) = feature {
        cargo.args(["--features", &format!("sabotage-{feature}")]);
    }
    succeed(cargo.env("CARGO_TARGET_DIR", folder()));
    let place = folder().join("runtime").join(feature.unwrap_or("whole"));
    fs::create_dir_all(&place).expect("a folder");
    let library = place.join("libgomp-offmem.so.1");
    fs::copy(folder().join("debug/libgomp_offmem.so"), library).expect("the runtime");
    place
}

#[test]
fn something_fails_without_each_protection() {
    if !Compiler::of(Language::C).offloads() {
        return skipped("sabotage: this compiler does not offload to nvptx");
    }
    fs::create_dir_all(folder()).expect("a folder");
    for (_, proof) in &TABLE {
        if let Program(name, ..) = proof {
            compile(name);
        }
    }
    UNIFIED.iter().for_each(compile_unified);
    let churn = &Churn::build();
    thread::scope(|scope| {
        // While one is tried, the next is built.
        let whole = build(None);
        let mut tries = vec![scope.spawn(move || {
            // The sequences stand in the table many times, and are all the same.
            let programs = TABLE.iter().filter(|(_, proof)| !matches!(proof, Sequences));
            for (feature, proof) in programs.chain(TABLE.first()) {
                if proof.fails(churn, &whole, TRIES_WHOLE).is_ok() {
                    panic!("fails with all protections, of which {feature} is one");
                }
            }
            for unified in &UNIFIED {
                if fails(unified, &whole, false).is_ok() {
                    panic!("fails with all protections: {unified:?}");
                }
            }
        })];
        for (feature, proof) in &TABLE {
            let runtime = build(Some(feature));
            tries.push(scope.spawn(move || {
                if let Err(said) = proof.fails(churn, &runtime, TRIES) {
                    panic!("nothing fails without {feature}: {said}");
                }
            }));
        }
        let runtime = build(Some("unified"));
        tries.push(scope.spawn(move || {
            for unified in &UNIFIED {
                if let Err(said) = fails(unified, &runtime, true) {
                    panic!("nothing fails without it: {unified:?}: {said}");
                }
            }
        }));
        for attempt in tries {
            attempt.join().expect("see above");
        }
    });
}

#[test]
fn a_crates_own_tests_fail_without_each_protection() {
    for (krate, feature, file, test) in OWN {
        let whole = own(krate, "", file, test);
        assert!(whole.status.success(), "{}", text(&whole));
        assert!(text(&whole).contains(" 1 passed"), "no {test}: {}", text(&whole));
        let without = own(krate, &format!("sabotage-{feature}"), file, test);
        let said = text(&without);
        assert!(said.contains("test result: FAILED"), "nothing fails without {feature}: {said}");
    }
}

#[test]
fn every_protection_is_in_a_table() {
    let loom = include_str!("loom.rs");
    let mut features = 0;
    for manifest in ["libgomp-ext", "policy", "pool", "registration"] {
        let manifest = root().join(manifest).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("the crate's manifest");
        let names = manifest.lines().filter_map(|line| line.strip_prefix("sabotage-"));
        for name in names.filter_map(|line| line.strip_suffix(" = []")) {
            let is_tried = name == "unified"
                || TABLE.iter().any(|row| row.0 == name)
                || OWN.iter().any(|row| row.1 == name)
                || loom.contains(&format!("(\"sabotage-{name}\", "));
            assert!(is_tried, "nothing tries sabotage-{name}");
            features += 1;
        }
    }
    assert_eq!(features, TABLE.len() + OWN.len() + 1 + loom.matches("(\"sabotage-").count());
}
