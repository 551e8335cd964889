//! The plugin in each of GCC's compilers.

use std::fs;
use std::path::Path;
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, run, skipped, succeed, text};
use tempfile::TempDir;

const PINNED: &str = "-foffload-memory=pinned";

/// Compiles `source` to assembly; what the compiler said, and the assembly.
fn compile(driver: &str, file: &str, source: &str, options: &[&str]) -> Option<(String, String)> {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join(file), source).expect("a file");
    let mut command = Command::new(driver);
    command.args(["-S", "-o", "x.s", PINNED]).args(options).arg(file).current_dir(folder.path());
    let output = Stage::get().enter(&mut command).output().ok()?;
    // A driver without its compiler proper: the package is not installed.
    if text(&output).contains("cannot execute") {
        return None;
    }
    assert!(output.status.success(), "{driver}: {}", text(&output));
    let assembly = fs::read_to_string(folder.path().join("x.s")).expect("assembly");
    Some((text(&output), assembly))
}

#[test]
fn works_in_silence_where_there_are_directives() {
    let c = "void f (int *a) {\n#pragma omp target map(tofrom: a[0:9])\na[0]++; }\n";
    let fortran = "subroutine f (a)\ninteger :: a(9)\n!$omp target map(tofrom: a)\na(1) = 2\n!$omp end target\nend\n";
    for (language, source) in [(Language::C, c), (Language::Cxx, c), (Language::Fortran, fortran)] {
        let file = format!("x.{}", language.suffix());
        let driver = Compiler::of(language).name;
        let (said, assembly) = compile(&driver, &file, source, &["-fopenmp"]).expect("installed");
        assert_eq!(said, "", "{language:?}");
        assert!(assembly.contains("offmem_GOMP_target_ext"), "{language:?}");
        assert!(assembly.contains("offmem_enable"), "{language:?}");
    }
}

#[test]
fn is_inert_in_other_front_ends() {
    let sources = [
        ("gcc", "x.m", "int f (void) { return 1; }\n"),
        ("g++", "x.mm", "int f () { return 1; }\n"),
        ("gcc", "x.adb", "procedure X is\nbegin\n   null;\nend X;\n"),
        ("gdc", "x.d", "extern (C) int f () { return 1; }\n"),
        ("gccgo", "x.go", "package x\nfunc F() int { return 1 }\n"),
    ];
    let gcc = Compiler::of(Language::C).name;
    for (driver, file, source) in sources {
        let Some((said, assembly)) = compile(&gcc.replace("gcc", driver), file, source, &[]) else {
            skipped(&format!("no compiler for {file}"));
            continue;
        };
        assert_eq!(said, "", "{file}");
        assert!(!assembly.contains("offmem"), "{file}: {assembly}");
    }
}

#[test]
fn sites_keep_their_names_through_lto() {
    let folder = TempDir::new().expect("a temporary folder");
    let source = "struct S { double *p; };\n\
                  void f (struct S *s, double *a, int n) {\n\
                  #pragma omp target map(tofrom: a[0:n], s->p[0:n])\n\
                  for (int i = 0; i < n; i++) a[i] += s->p[i];\n\
                  }\nint main (void) { double a[3] = { 0 }, b[3] = { 0 };\n\
                  struct S s = { b }; f (&s, a, 3); return a[0]; }\n";
    fs::write(folder.path().join("x.c"), source).expect("a file");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args(["-fopenmp", "-foffload=disable", "-flto", "-O1", PINNED, "-fdump-tree-offmem"]);
    gcc.arg("x.c").current_dir(folder.path());
    succeed(Stage::get().enter(&mut gcc));
    let dumps: String = fs::read_dir(folder.path())
        .expect("the folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "offmem"))
        .map(|path| fs::read_to_string(path).expect("a dump"))
        .collect();
    let lines: Vec<_> = dumps.lines().filter(|line| line.contains(" -> ")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn another_build_of_gcc_is_refused_with_all_that_differs() {
    let folder = TempDir::new().expect("a temporary folder");
    let date = succeed(Compiler::of(Language::C).command().arg("--version"));
    let other = folder.path().join("liboffmem.so");
    fs::write(&other, with_another_date(&Stage::get().plugin())).expect("a file");
    fs::write(folder.path().join("x.c"), "int i;\n").expect("a file");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.arg(format!("-fplugin={}", other.display())).args(["-c", "x.c"]);
    let output = run(gcc.current_dir(folder.path()).env("LC_ALL", "C"));
    let said = text(&output);
    assert!(!output.status.success(), "{date}: {said}");
    assert!(!folder.path().join("x.o").exists());
    for field in
        ["version same", "date differs", "phase same", "revision same", "configuration same"]
    {
        assert!(said.contains(field), "{field} is missing in:\n{said}");
    }
}

/// The plugin as if built for a GCC of another day.
fn with_another_date(plugin: &Path) -> Vec<u8> {
    let gcc = Compiler::of(Language::C);
    let mut preprocess = gcc.command();
    preprocess.args(["-print-file-name=plugin"]);
    let headers = Path::new(succeed(&mut preprocess).trim()).join("include/plugin-version.h");
    let header = fs::read_to_string(headers).expect("plugin headers");
    let line = header.lines().find(|line| line.contains("datestamp[]")).expect("a date");
    let date = line.split('"').nth(1).expect("a string").as_bytes();

    let mut bytes = fs::read(plugin).expect("the plugin is staged");
    let at = bytes.windows(date.len()).position(|bytes| bytes == date).expect("the date");
    bytes[at] = b'3';
    bytes
}

#[test]
fn version_and_help_are_gccs_to_print() {
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args([PINNED, "-v", "-S", "-x", "c", "/dev/null", "-o", "/dev/null"]);
    let said = succeed(Stage::get().enter(&mut gcc));
    assert!(said.contains("liboffmem: offmem"), "{said}");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args([PINNED, "--help", "-v", "-S", "-x", "c", "/dev/null", "-o", "/dev/null"]);
    let said = text(&run(Stage::get().enter(&mut gcc)));
    assert!(said.contains("-foffload-memory=none|pinned|unified"), "{said}");
}

/// What GCC warns about because it knows which functions allocate.
const MISTAKES: &str = r#"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
void use (void *);
int table[3];
void beyond (void) { char *p = (char *) malloc (4); memset (p, 1, 5); use (p); }
void not_heap (void) { free (table); }
void offset (char *p) { free (p + 3); }
void too_much (void) { use (malloc ((size_t) -1)); }
void file (void) { FILE *p = fopen ("a", "r"); free (p); }
void leak (void) { malloc (3); }
char *after (void) { char *p = strdup ("abc"); free (p); return p; }
#ifdef __cplusplus
void array () { int *p = new int[3]; delete p; }
void mixed () { int *p = new int; free (p); }
void stack () { int x; delete &x; }
#endif
"#;

#[test]
fn warnings_are_the_same_where_allocations_are_redirected() {
    for (language, least) in [(Language::C, 6), (Language::Cxx, 9)] {
        let folder = TempDir::new().expect("a temporary folder");
        let file = format!("x.{}", language.suffix());
        fs::write(folder.path().join(&file), MISTAKES).expect("a file");
        for level in ["-O0", "-O2"] {
            let said = |option: &str| {
                let mut gcc = Compiler::of(language).command();
                gcc.args(["-Wall", "-Wextra", level, option, "-S", "-o", "x.s", &file]);
                gcc.current_dir(folder.path());
                let output = run(Stage::get().enter(&mut gcc));
                assert!(output.status.success(), "{}", text(&output));
                text(&output)
            };
            let stock = said("-foffload-memory=none");
            assert!(stock.matches("warning:").count() >= least, "{stock}");
            assert_eq!(said("-foffload-memory=unified"), stock, "{language:?} {level}");
            let assembly = fs::read_to_string(folder.path().join("x.s")).expect("assembly");
            assert!(assembly.contains("offmem_free"), "{language:?} {level}");
        }
    }
}

#[test]
fn accepted_requirements_leave_no_trace_of_a_refusal() {
    let c = "#pragma omp requires unified_shared_memory, unified_address\nint x;\n";
    let fortran = "subroutine f\n!$omp requires unified_shared_memory, unified_address\nend\n";
    for (language, source) in [(Language::C, c), (Language::Cxx, c), (Language::Fortran, fortran)] {
        let file = format!("x.{}", language.suffix());
        let driver = Compiler::of(language).name;
        for option in ["-Wfatal-errors", "-fmax-errors=1", "-Werror"] {
            let options = ["-foffload-memory=unified", "-fopenmp", option];
            let (said, _) = compile(&driver, &file, source, &options).expect("installed");
            assert_eq!(said, "", "{language:?} {option}");
        }
    }
    let options = ["-foffload-memory=unified", "-fopenmp", "-fdiagnostics-format=json"];
    let gcc = Compiler::of(Language::C).name;
    let (said, _) = compile(&gcc, "x.c", c, &options).expect("installed");
    assert_eq!(said.trim(), "[]");
}
