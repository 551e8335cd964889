//! The specs file changes nothing without the option, and accepts it wherever
//! people put it.

use std::fs;
use std::path::Path;
use std::process::Command;

use offmem_testsuite::{Compiler, Language, Stage, run, succeed, text};
use tempfile::TempDir;

/// Command lines as builds have them.
const OPTION_SETS: [&[&str]; 14] = [
    &[],
    &["-static"],
    &["-static-pie"],
    &["-shared", "-fPIC"],
    &["-flto", "-O2"],
    &["-fopenmp"],
    &["-fopenacc", "-O3", "-ffast-math"],
    &["-pg"],
    &["-fsanitize=address"],
    &["-fsanitize=thread", "-g"],
    &["-c", "-g"],
    &["-m32"],
    &["-r", "-nostdlib"],
    &["-no-pie", "-pthread", "-Wl,--as-needed", "-rdynamic", "-save-temps"],
];

/// What the driver would run, without the names of its temporary files and of
/// the specs it has read.
fn dry_run(language: Language, library_path: &Path, options: &[&str]) -> String {
    let mut command = Compiler::of(language).command();
    command.arg("-###").args(options).arg(format!("x.{}", language.suffix())).arg("y.o");
    command.env("LIBRARY_PATH", library_path).env("LC_ALL", "C");
    let output = text(&run(&mut command));
    let (specs, output) = output.split_once('\n').expect("lines");
    assert!(specs == "Using built-in specs." || specs.starts_with("Reading specs from"), "{specs}");
    let mut pieces = output.split("/tmp/cc");
    let mut normal = pieces.next().unwrap_or("").to_owned();
    for piece in pieces {
        normal += "/tmp/cc######";
        normal += piece.get(6..).unwrap_or("");
    }
    normal
}

#[test]
fn without_the_option_the_driver_runs_what_stock_gcc_runs() {
    let library_path = TempDir::new().expect("a temporary folder");
    let folder = library_path.path().join(Compiler::machine_and_version());
    fs::create_dir_all(&folder).expect("a folder");

    let all = || {
        Language::ALL
            .into_iter()
            .flat_map(|language| OPTION_SETS.map(|set| (language, set)))
            .map(|(language, set)| (language, set, dry_run(language, library_path.path(), set)))
    };
    let stock: Vec<_> = all().collect();
    fs::copy(Stage::get().specs(), folder.join("specs")).expect("the specs are staged");
    for ((language, set, stock), (_, _, ours)) in stock.into_iter().zip(all()) {
        assert!(stock.contains("collect2") || set.contains(&"-c"), "{stock}");
        assert_eq!(stock, ours, "{language:?} {set:?}");
    }

    // And the file is read, else all this proves nothing.
    let with = dry_run(Language::C, library_path.path(), &["-foffload-memory=pinned"]);
    assert!(with.contains("-fplugin="), "{with}");
}

/// A folder with a small program in it.
struct Project {
    folder: TempDir,
}

const PROGRAM: &str = "
int main (void)
{
  int a[100] = { 0 };
  #pragma omp target map(tofrom: a)
  for (int i = 0; i < 100; i++)
    a[i]++;
  return a[99] != 1;
}
";

impl Project {
    fn new() -> Project {
        let folder = TempDir::new().expect("a temporary folder");
        fs::write(folder.path().join("x.c"), PROGRAM).expect("a file");
        Project { folder }
    }

    fn gcc(&self, arguments: &str) -> Command {
        let mut command = Compiler::of(Language::C).command();
        // Without the device's code, of which this is not about.
        command.args(["-fopenmp", "-foffload=disable"]).args(arguments.split_whitespace());
        Stage::get().enter(&mut command).current_dir(self.folder.path());
        command
    }

    fn runs(&self) {
        let mut program = Command::new(self.folder.path().join("a.out"));
        Stage::get().enter(&mut program).env("OFFMEM", "quiet");
        succeed(&mut program);
    }

    fn has_redirects(&self, file: &str) -> bool {
        let bytes = fs::read(self.folder.path().join(file)).expect("the compiler wrote it");
        bytes.windows(22).any(|bytes| bytes == b"offmem_GOMP_target_ext")
    }
}

#[test]
fn the_verbatim_command_makes_a_program() {
    let project = Project::new();
    let warnings = succeed(&mut project.gcc("-fplugin=liboffmem.so -foffload-memory=pinned x.c"));
    assert_eq!(warnings, "");
    assert!(project.has_redirects("a.out"));
    project.runs();
}

#[test]
fn compiling_and_linking_may_be_apart() {
    for options in ["", "-flto", "-O2 -flto", "-g -fPIE"] {
        let project = Project::new();
        succeed(&mut project.gcc(&format!("-foffload-memory=pinned {options} -c x.c")));
        succeed(&mut project.gcc(&format!("-foffload-memory=pinned {options} x.o")));
        assert!(project.has_redirects("a.out"), "{options}");
        project.runs();
    }
}

#[test]
fn every_stage_of_compilation_accepts_it() {
    let project = Project::new();
    for options in ["-E", "-S", "-fsyntax-only", "-M", "-r -o x.r", "-shared -fPIC -o x.so"] {
        let mut gcc = project.gcc(&format!("-foffload-memory=pinned {options} x.c"));
        let output = run(&mut gcc);
        assert!(output.status.success(), "{options}: {}", text(&output));
        assert!(output.stderr.is_empty(), "{options}: {}", text(&output));
    }
    assert!(project.has_redirects("x.s"));
    assert!(project.has_redirects("x.so"));
    succeed(&mut project.gcc("-foffload-memory=pinned -save-temps x.c"));
    project.runs();
}

#[test]
fn the_last_option_wins() {
    for (options, redirected) in [
        ("-foffload-memory=pinned -foffload-memory=none", false),
        ("-foffload-memory=none -foffload-memory=pinned", true),
        ("-foffload-memory=none", false),
    ] {
        let project = Project::new();
        succeed(&mut project.gcc(&format!("{options} x.c")));
        assert_eq!(project.has_redirects("a.out"), redirected, "{options}");
        let needed =
            succeed(Command::new("readelf").arg("-d").arg(project.folder.path().join("a.out")));
        assert_eq!(needed.contains("libgomp-offmem.so.1"), redirected, "{options}: {needed}");
        project.runs();
    }
}

#[test]
fn none_makes_the_same_code() {
    let project = Project::new();
    let code = |options: &str| {
        succeed(&mut project.gcc(&format!("-O2 -frandom-seed=1 {options} -c x.c")));
        let mut objdump = Command::new("objdump");
        succeed(
            objdump
                .args(["-sdr", "-j.text", "-j.data", "-j.rodata", "-j.init_array"])
                .arg("x.o")
                .current_dir(project.folder.path()),
        )
    };
    assert_eq!(code(""), code("-foffload-memory=none"));
}

#[test]
fn the_runtime_comes_first_and_libgomp_stays() {
    let project = Project::new();
    succeed(&mut project.gcc("-foffload-memory=pinned -Wl,--as-needed x.c -lm -lpthread"));
    let dynamic =
        succeed(Command::new("readelf").arg("-d").arg(project.folder.path().join("a.out")));
    let needed: Vec<_> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
    assert!(needed[0].contains("libgomp-offmem.so.1"), "{dynamic}");
    assert!(needed.iter().any(|line| line.contains("[libgomp.so.1]")), "{dynamic}");
}

#[test]
fn mistakes_are_told_in_gccs_words() {
    let project = Project::new();
    fs::write(project.folder.path().join("y.o"), "").expect("a file");
    let mut told = String::new();
    for options in [
        "-foffload-memory=fast x.c",
        "-foffload-memory= x.c",
        "-foffload-memory x.c",
        "-fno-offload-memory x.c",
        "-foffload-memory=pinned -static x.c",
        "-foffload-memory=fast y.o",
        "-fdump-tree-offmem -c x.c",
    ] {
        let output = run(&mut project.gcc(options));
        assert!(!output.status.success(), "{options}");
        let compiler = Compiler::of(Language::C).name;
        told += &format!("$ gcc {options}\n{}\n", text(&output).replace(&compiler, "gcc"));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_path_with_a_space_is_one_word() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut offmem = Command::new(Stage::get().offmem());
    let gcc = Compiler::of(Language::C).name;
    offmem.args(["specs", "--gcc", &gcc, "--plugin"]).arg(folder.path().join("a b/liboffmem.so"));
    let specs = folder.path().join(Compiler::machine_and_version()).join("specs");
    fs::create_dir_all(specs.parent().expect("a folder")).expect("a folder");
    fs::write(&specs, succeed(&mut offmem)).expect("a file");
    let with = dry_run(Language::C, folder.path(), &["-foffload-memory=pinned"]);
    assert!(with.contains("a b/liboffmem.so\" "), "{with}");
}
