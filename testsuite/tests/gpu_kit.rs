//! The GPU kit, on softcuda: it runs whole, its expectations are softcuda's
//! rules, and each of its probes can find something else.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use offmem_testsuite::{Compiler, Language, Stage, root, run, skipped, succeed, text};
use serde_json::Value;
use tempfile::TempDir;

/// The kit, built once; nothing where the compiler cannot build it.
fn kit() -> Option<&'static Path> {
    static KIT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let kit = KIT.get_or_init(|| {
        let gcc = Compiler::of(Language::C);
        if !gcc.offloads() {
            skipped("the compiler does not offload to nvptx");
            return None;
        }
        Stage::get();
        let mut build = Command::new(root().join("testsuite/gpu/build.sh"));
        build.env("GCC", gcc.name).env("STAGED", "1");
        Some(PathBuf::from(succeed(&mut build).trim()))
    });
    kit.as_deref()
}

/// A program of the kit on a machine whose only driver is softcuda, with the
/// loader led nowhere else.
fn on_softcuda(program: &Path) -> Command {
    let mut command = Command::new(program);
    let softcuda = Stage::get().softcuda();
    command.env("LD_LIBRARY_PATH", softcuda.parent().expect("a folder"));
    command.env("OFFMEM", "quiet").env("GPU_KIT_MOST_MIB", "4");
    command
}

fn of_kind<'a>(results: &'a [Value], kind: &'static str) -> impl Iterator<Item = &'a Value> {
    results.iter().filter(move |result| result["kind"] == kind)
}

fn names<'a>(results: &'a [Value], kind: &'static str, field: &str) -> BTreeSet<&'a str> {
    of_kind(results, kind).filter_map(|result| result[field].as_str()).collect()
}

#[test]
fn the_kit_runs_whole_and_confirms_softcudas_rules() {
    let Some(kit) = kit() else { return };
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("results.json");
    let output = run(on_softcuda(&kit.join("run.sh")).arg(&file));
    assert!(output.status.success(), "{}", text(&output));

    let json = fs::read_to_string(&file).expect("it wrote results");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    for field in ["kit", "date", "kernel", "driver", "processor"] {
        assert!(json[field].as_str().is_some_and(|text| !text.is_empty()), "{field}");
    }
    let results = json["results"].as_array().expect("an array");
    assert_eq!(of_kind(results, "failure").count(), 0);
    assert_eq!(names(results, "device", "name"), ["softcuda"].into());
    let rules: Vec<_> = of_kind(results, "rule").collect();
    assert!(rules.len() > 40, "{}", rules.len());
    for rule in rules {
        let expected = rule["expected"].as_str().expect("text");
        let verdict = if expected.is_empty() { "no opinion" } else { "confirmed" };
        assert_eq!(rule["verdict"], verdict, "{rule}");
    }
    assert_eq!(names(results, "cost", "memory"), ["huge", "small", "untouched"].into());
    assert_eq!(names(results, "copy", "memory"), ["pageable", "pinned", "registered"].into());
    let programs = ["adaptive", "eager", "run", "stock"];
    assert_eq!(names(results, "offload", "program"), programs.into());
    // Two sizes, two uses, two ways, four programs.
    assert_eq!(of_kind(results, "offload").count(), 32);
}

#[test]
fn every_switch_of_softcuda_is_seen() {
    let Some(kit) = kit() else { return };
    for (rule, other, found) in [
        ("same-page", "712", "712"),
        ("unaligned", "1", "1"),
        ("read-only", "accept", "accepted"),
        ("read-only-flag", "801", "801"),
        ("register-managed", "accept", "accepted"),
        ("register-allocated", "accept", "accepted"),
        ("unregister-interior", "accept", "accepted"),
        ("straddle", "accept", "accepted"),
        ("adjacent", "accept", "accepted"),
        ("managed-fork", "accept", "there"),
    ] {
        let mut probe = on_softcuda(&kit.join("probe"));
        let output =
            succeed(probe.args(["rule", rule]).env("SOFTCUDA_RULES", format!("{rule}={other}")));
        assert_eq!(output.trim(), found, "{rule}");
    }
    // Work is only queued where it is deferred.
    let mut probe = on_softcuda(&kit.join("probe"));
    probe.args(["rule", "unregister-busy"]).env("SOFTCUDA_RULES", "unregister-busy=1");
    assert_eq!(succeed(probe.env("SOFTCUDA_ASYNC", "deferred")).trim(), "1");
}

#[test]
fn a_driver_with_other_rules_is_told() {
    let Some(kit) = kit() else { return };
    let mut probe = on_softcuda(&kit.join("probe"));
    let output = run(probe.arg("rules").env("SOFTCUDA_RULES", "adjacent=accept"));
    assert_eq!(output.status.code(), Some(1));
    let different: Vec<_> = text(&output)
        .lines()
        .filter(|line| line.ends_with("DIFFERENT"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let expected = ["adjacent", "managed-adjacent"]
        .map(|rule| format!("{rule} expected 1 found accepted DIFFERENT"));
    assert_eq!(different, expected);
}

#[test]
fn a_failing_driver_is_a_failure_of_that_rule_only() {
    let Some(kit) = kit() else { return };
    let mut probe = on_softcuda(&kit.join("probe"));
    // Only the rules of managed memory allocate any.
    let output = run(probe.arg("rules").env("SOFTCUDA_FAIL", "cuMemAllocManaged:*=2"));
    assert_eq!(output.status.code(), Some(1));
    let failed = text(&output).lines().filter(|line| line.contains("found failure")).count();
    assert_eq!(failed, 11, "{}", text(&output));
}

#[test]
fn without_a_gpu_it_says_so() {
    let Some(kit) = kit() else { return };
    let output = run(on_softcuda(&kit.join("run.sh")).env("SOFTCUDA_DEVICES", "0"));
    assert_eq!(output.status.code(), Some(77));
    assert_eq!(text(&output), "no GPU: the driver does not start (error 100)\n");
}

#[test]
fn the_table_judges_by_numbers() {
    let line = |program: &str, usage: &str, rate: f64| {
        format!(
            "{{\"kind\": \"offload\", \"program\": \"{program}\", \"use\": \"{usage}\", \
             \"direction\": \"to\", \"size\": 1048576, \"gbps\": {rate:.3}}}\n"
        )
    };
    let table = |reuse: f64, single: f64| {
        let mut awk = Command::new("awk");
        awk.arg("-f").arg(root().join("testsuite/gpu/table.awk"));
        let mut child =
            awk.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("awk is there");
        let raw = "{\"kind\": \"copy\", \"memory\": \"pinned\", \"direction\": \"to\", \
                   \"size\": 1048576, \"gbps\": 50.000}\n";
        let lines = [
            raw.to_owned(),
            line("stock", "reuse", 8.0),
            line("adaptive", "reuse", reuse),
            line("stock", "single", 8.0),
            line("adaptive", "single", single),
        ];
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(lines.concat().as_bytes()).expect("it reads");
        drop(input);
        let output = text(&child.wait_with_output().expect("it ends"));
        let last = |line: &str| line.split_whitespace().last().unwrap_or("").to_owned();
        output.lines().skip(1).map(last).collect::<Vec<_>>()
    };
    assert_eq!(table(47.5, 7.9), ["met", "met"]);
    assert_eq!(table(47.4, 7.8), ["MISSED", "MISSED"]);
    // As text, 9 is more than 50.
    assert_eq!(table(9.5, 10.0), ["MISSED", "met"]);
}
