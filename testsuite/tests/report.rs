//! `OFFMEM_REPORT`: when it is written, where, and by whom.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use offmem_testsuite::{Compiler, Language, Stage, succeed, text};
use serde_json::Value;
use tempfile::TempDir;

/// Offloads wherever a program may, and ends in the way its argument names.
const PROGRAM: &str = r#"
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

static void
say (const char *line)
{
  if (write (2, line, __builtin_strlen (line)) < 0)
    abort ();
}

static void
offload (const char *line)
{
  int x[50], *p = x;
  #pragma omp target map(from: p[0:50])
  for (int i = 0; i < 50; i++)
    p[i] = i;
  if (x[49] != 49)
    abort ();
  say (line);
}

struct Object
{
  Object () { offload ("constructor\n"); }
  ~Object () { offload ("destructor\n"); }
} object;

static void
at_exit ()
{
  offload ("atexit\n");
}

__attribute__ ((destructor)) static void
fini ()
{
  say ("fini\n");
}

int
main (int count, char **argument)
{
  char way = count > 1 ? argument[1][0] : ' ';
  atexit (at_exit);
  if (way == 'q')
    quick_exit (0);
  if (way == '_')
    _exit (0);
  if (way == 'f')
    {
      pid_t child = fork ();
      if (child == 0)
        {
          offload ("child\n");
          exit (0);
        }
      waitpid (child, 0, 0);
    }
  if (way == 'c' && chdir ("/") != 0)
    abort ();
  return way == '3' ? 3 : 0;
}
"#;

/// The program, compiled into a folder of its own.
struct Program {
    folder: TempDir,
}

impl Program {
    fn build() -> Program {
        let folder = TempDir::new().expect("a temporary folder");
        fs::write(folder.path().join("x.cc"), PROGRAM).expect("a file");
        let mut gcc = Compiler::of(Language::Cxx).command();
        gcc.args(["-fopenmp", "-no-pie", "-foffload-memory=pinned", "x.cc", "-o", "program"]);
        let output = Stage::get().enter(&mut gcc).current_dir(folder.path()).output();
        let output = output.expect("the compiler runs");
        assert!(output.status.success(), "{}", text(&output));
        Program { folder }
    }

    fn run(&self, way: &str, report: &str, variables: &[(&str, &str)]) -> Output {
        let mut program = Command::new(self.folder.path().join("program"));
        Stage::get().enter_softcuda(&mut program).arg(way).current_dir(self.folder.path());
        program.env("OFFMEM", "quiet").env("OFFMEM_REPORT", report);
        program.envs(variables.iter().copied()).output().expect("it runs")
    }

    fn files(&self) -> Vec<String> {
        let folder = fs::read_dir(self.folder.path()).expect("a folder");
        let names = folder.map(|entry| entry.expect("an entry").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".json"))
            .collect()
    }
}

fn json(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).expect("a report")).expect("JSON")
}

const FIRST_LINE: &str = "libgomp-offmem: report of program, process ";

#[test]
fn the_report_is_the_last_thing_of_a_process() {
    let output = Program::build().run("", "1", &[("SOFTCUDA_TRACE", "1")]);
    assert!(output.status.success(), "{}", text(&output));
    let text = text(&output);
    let mut from = 0;
    for line in ["\natexit\n", "\ndestructor\n", ": cuCtxDestroy", "\nfini\n", FIRST_LINE] {
        let at = text[from..].find(line);
        from += at.unwrap_or_else(|| panic!("no '{line}' behind the one before: {text}"));
    }
    assert!(!text[from..].contains("softcuda"), "{text}");
}

#[test]
fn the_exit_status_is_the_programs() {
    let program = Program::build();
    let output = program.run("3", "1", &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output).contains(FIRST_LINE));

    let output =
        program.run("3", "missing/r.json", &[("OFFMEM", "on"), ("OFFMEM_STRATEGY", "auto")]);
    assert_eq!(output.status.code(), Some(3));
    let line = format!(
        "libgomp-offmem: the report cannot be written to '{}': No such file or directory (os error 2)\n",
        program.folder.path().join("missing/r.json").display()
    );
    assert!(text(&output).ends_with(&line), "{}", text(&output));
}

#[test]
fn a_file_has_json_and_stands_where_the_program_began() {
    let program = Program::build();
    let output = program.run("c", "%e-%p.json", &[]);
    assert!(output.status.success() && !text(&output).contains(FIRST_LINE), "{}", text(&output));
    let files = program.files();
    let [file] = &files[..] else { panic!("one report: {files:?}") };
    let report = json(&program.folder.path().join(file));
    assert_eq!(*file, format!("program-{}.json", report["pid"]));
    assert_eq!(report["program"], "program");
    assert!(report["summary"]["strategy"].is_string() && report["sites"].is_array(), "{report}");
}

#[test]
fn what_ends_without_exit_leaves_none_nor_does_a_child() {
    let program = Program::build();
    for way in ["q", "_"] {
        let output = program.run(way, "1", &[]);
        assert!(output.status.success(), "{}", text(&output));
        assert!(!text(&output).contains(FIRST_LINE), "{way}: {}", text(&output));
    }
    // On the host: the child has no device.
    let output = program.run("f", "%p.json", &[("OMP_TARGET_OFFLOAD", "DISABLED")]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(text(&output).matches("\nfini\n").count(), 2, "both ended: {}", text(&output));
    assert_eq!(program.files().len(), 1, "{:?}", program.files());
}

#[test]
fn closing_the_library_that_brought_the_runtime_is_not_the_end() {
    let folder = TempDir::new().expect("a temporary folder");
    let library = "int f (void)\n{\n  int x = 1;\n  #pragma omp target map(tofrom: x)\n  x++;\n  return x;\n}\n";
    let program = r#"
#include <dlfcn.h>
#include <unistd.h>

int
main (void)
{
  for (int i = 0; i < 2; i++)
    {
      void *library = dlopen ("./library.so", RTLD_NOW);
      int (*f) (void) = (int (*) (void)) dlsym (library, "f");
      if (f () != 2)
        return 1;
      dlclose (library);
      if (write (2, "closed\n", 7) < 0)
        return 1;
    }
  return 0;
}
"#;
    fs::write(folder.path().join("library.c"), library).expect("a file");
    fs::write(folder.path().join("program.c"), program).expect("a file");
    let compile = |options: &[&str]| {
        let mut gcc = Compiler::of(Language::C).command();
        succeed(Stage::get().enter(gcc.args(options).current_dir(folder.path())));
    };
    const LIBRARY: [&str; 5] =
        ["-shared", "-fPIC", "-fopenmp", "-foffload=disable", "-foffload-memory=pinned"];
    compile(&[&LIBRARY[..], &["library.c", "-o", "library.so"]].concat());
    // libgomp cannot be closed.
    compile(&["-Wl,--no-as-needed", "-fopenmp", "program.c", "-ldl", "-o", "program"]);
    let mut program = Command::new(folder.path().join("program"));
    Stage::get().enter(&mut program).env("OFFMEM", "quiet").env("OFFMEM_REPORT", "1");
    let output = program.current_dir(folder.path()).output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        text(&output).starts_with(&format!("closed\nclosed\n{FIRST_LINE}")),
        "{}",
        text(&output)
    );
}

#[test]
fn nobody_asked() {
    let program = Program::build();
    for (report, variables) in [("0", &[][..]), ("", &[]), ("1", &[("OFFMEM", "off")])] {
        let output = program.run("", report, variables);
        assert!(output.status.success(), "{}", text(&output));
        assert!(!text(&output).contains(FIRST_LINE), "{report}: {}", text(&output));
    }
}
