//! The command line: help, man page and completions come from here alone.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

/// Teach stock GCC -foffload-memory=pinned|unified|none
#[derive(Debug, Parser)]
#[command(name = "offmem", version, after_long_help = ENVIRONMENT, max_term_width = 80)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print a specs file that makes a GCC accept -foffload-memory=
    ///
    /// It is that compiler's own specs with our additions: put it where that
    /// compiler looks for a file named 'specs', which is the folder of its
    /// libgcc, or MACHINE/VERSION/ in a folder of LIBRARY_PATH.
    Specs(SpecsArguments),
    /// Run a program that stock GCC built, with its memory pinned
    ///
    /// PROGRAM needs no recompilation: a GCC from 11 on has built it with
    /// -fopenmp or -fopenacc. It takes offmem's place in the process, so its
    /// exit status, signals, terminal and standard streams are its own.
    /// Scripts run too, and hand the runtime on to what they start.
    #[command(after_long_help = RUN)]
    Run(RunArguments),
    /// Print the man page or a shell's completions
    Generate {
        /// What to print
        what: Generated,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SpecsArguments {
    /// The compiler: a name or a path
    #[arg(long, value_name = "COMMAND", default_value = "gcc")]
    pub(crate) gcc: String,
    /// The plugin built for that compiler [default: liboffmem.so in its plugin folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) plugin: Option<PathBuf>,
    /// The runtime to link [default: what -lgomp-offmem finds]
    #[arg(long, value_name = "FILE")]
    pub(crate) runtime: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// What -foffload-memory= would say
    #[arg(long, value_enum, default_value_t = Memory::Pinned)]
    pub(crate) memory: Memory,
    /// At the end, report on standard error, or as JSON in FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub(crate) report: Option<Option<PathBuf>>,
    /// How memory is pinned [default: auto, or OFFMEM_STRATEGY]
    #[arg(long, value_enum)]
    pub(crate) strategy: Option<Strategy>,
    /// When a block is registered [default: adaptive, or OFFMEM_POLICY]
    #[arg(long, value_enum)]
    pub(crate) policy: Option<Policy>,
    /// Most memory registered at a time: bytes with K, M, G or T, or a percentage
    #[arg(long, value_name = "SIZE")]
    pub(crate) limit: Option<OsString>,
    /// The runtime [default: beside offmem, else where the loader finds it]
    #[arg(long, value_name = "FILE")]
    pub(crate) runtime: Option<PathBuf>,
    /// Also run a program that does not itself use libgomp
    #[arg(long)]
    pub(crate) force: bool,
    /// The program, as a shell would find it, and its arguments
    #[arg(required = true, trailing_var_arg = true, value_names = ["PROGRAM", "ARGUMENT"])]
    pub(crate) command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Memory {
    /// Page-lock the memory that takes part in offloading
    Pinned,
    /// Make host memory valid on the device at the same address
    Unified,
    /// Run the program as it is
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strategy {
    /// What suits the machine
    Auto,
    /// Register memory with the CUDA driver or leave it as it is
    Register,
    /// Lock all memory, also beside a CUDA driver
    Mlockall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Policy {
    /// When that has paid
    Adaptive,
    /// When it is first mapped
    Eager,
    /// For as long as it is mapped, as GCC's own branches do
    PerMap,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Generated {
    /// offmem(1)
    Man,
    /// Completions for bash
    Bash,
    /// Completions for fish
    Fish,
    /// Completions for zsh
    Zsh,
}

/// The statuses are those of env(1).
const RUN: &str = "\
Under MPI, put it behind the launcher, which does not itself offload:
  mpirun -n 4 offmem run -- ./solver input.nml
  srun offmem run --policy=eager -- ./solver input.nml

Exit status:
  125  offmem run itself failed
  126  PROGRAM was found and cannot be run, or not with the runtime: it is
       static, privileged, for another machine, or does not use libgomp
  127  PROGRAM was not found
  else PROGRAM's own";

/// What programs read at run time.
const ENVIRONMENT: &str = "\
Environment of a program compiled with -foffload-memory=, or run by 'offmem run':
  OFFMEM=off        do nothing: the program runs as without the option
  OFFMEM=quiet      say nothing, also where memory cannot be pinned
  OFFMEM=on         the default: one line where memory cannot be pinned
  OFFMEM=mandatory  end with status 1, before main, where it cannot be pinned
  OFFMEM_STRATEGY=auto      the default: what suits the machine
  OFFMEM_STRATEGY=register  register with the CUDA driver or not at all
  OFFMEM_STRATEGY=mlockall  lock all memory, also beside a CUDA driver
  OFFMEM_POLICY=adaptive    the default: register a block when that has paid
  OFFMEM_POLICY=eager       register a block when it is first mapped
  OFFMEM_POLICY=per-map     register for as long as something is mapped
  OFFMEM_LIMIT=SIZE         most bytes registered at a time (K, M, G, T), or a
                            percentage of memory; the default is half of the
                            memory that is there, shared by the ranks on the
                            machine
  OFFMEM_MIN_SIZE=SIZE      leave smaller blocks alone; 128K, at least 64K
  OFFMEM_UNIFIED_POOL=SIZE  most bytes of unified memory at a time; default: no
                            limit; 0: none
  OFFMEM_PREFETCH=off       do not tell the driver where unified memory is wanted
  OFFMEM_REPORT=1|FILE      report at the end, on standard error or as JSON
  OFFMEM_MEMORY=MODE        the mode of a program none of whose files was
                            compiled with the option; 'offmem run' sets it
A setuid program ignores them all.";

/// The man page or the completions.
pub(crate) fn generate(what: Generated) -> Vec<u8> {
    let mut command = Cli::command();
    let mut output = Vec::new();
    let shell = match what {
        Generated::Man => {
            // A vector takes everything.
            let _ = man(command, &mut output);
            return output;
        }
        Generated::Bash => Shell::Bash,
        Generated::Fish => Shell::Fish,
        Generated::Zsh => Shell::Zsh,
    };
    clap_complete::generate(shell, &mut command, "offmem", &mut output);
    output
}

/// offmem(1), with a section for each command that has options.
fn man(mut command: clap::Command, output: &mut Vec<u8>) -> io::Result<()> {
    command.build();
    Man::new(command.clone()).render(output)?;
    for name in ["specs", "run"] {
        let Some(command) = command.find_subcommand(name) else { continue };
        let man = Man::new(command.clone());
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        if command.get_after_long_help().is_some() {
            man.render_extra_section(&mut section)?;
        }
        let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
        write!(output, ".SH \"OFFMEM {}\"\n{section}", name.to_uppercase())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Cli, Command, Generated, generate};
    use clap::{CommandFactory, Parser};
    use std::ffi::OsString;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help() {
        insta::assert_snapshot!(Cli::command().render_long_help());
    }

    #[test]
    fn help_of_run() {
        let mut command = Cli::command();
        let run = command.find_subcommand_mut("run").expect("it exists");
        insta::assert_snapshot!(run.render_long_help());
    }

    /// The words after `offmem run` that are the program's.
    fn program(line: &str) -> Vec<OsString> {
        let words = ["offmem", "run"].into_iter().chain(line.split(' '));
        match Cli::try_parse_from(words).map(|cli| cli.command) {
            Ok(Command::Run(arguments)) => arguments.command,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_programs_arguments_are_its_own() {
        assert_eq!(program("./a.out"), ["./a.out"]);
        assert_eq!(program("--memory=unified -- ./a.out --force"), ["./a.out", "--force"]);
        assert_eq!(program("--report ./a.out -- --help"), ["./a.out", "--", "--help"]);
        assert_eq!(program("--report=r.json -- -odd"), ["-odd"]);
    }

    #[test]
    fn every_generator_prints_something_of_its_own() {
        let text = |what| String::from_utf8(generate(what)).expect("UTF-8");
        assert!(text(Generated::Man).contains(".TH offmem 1"));
        assert!(text(Generated::Man).contains("OFFMEM=mandatory"));
        assert!(text(Generated::Man).contains("mpirun \\-n 4 offmem run"));
        assert!(text(Generated::Man).contains("\\-\\-policy"));
        assert!(text(Generated::Bash).contains("complete -F _offmem"));
        assert!(text(Generated::Fish).contains("complete -c offmem"));
        assert!(text(Generated::Zsh).contains("#compdef offmem"));
    }
}
