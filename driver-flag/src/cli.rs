//! The command line: help, man page and completions come from here alone.

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

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

/// What programs compiled with the option read at run time.
const ENVIRONMENT: &str = "\
Environment of a program compiled with -foffload-memory=pinned:
  OFFMEM=off        do nothing: the program runs as without the option
  OFFMEM=quiet      say nothing, also where memory cannot be pinned
  OFFMEM=on         the default: one line where memory cannot be pinned
  OFFMEM=mandatory  end with status 1, before main, where it cannot be pinned
  OFFMEM_STRATEGY=auto      the default: what suits the machine
  OFFMEM_STRATEGY=mlockall  lock all memory, also beside a CUDA driver
A setuid program ignores both.";

/// The man page or the completions.
pub(crate) fn generate(what: Generated) -> Vec<u8> {
    let mut command = Cli::command();
    let mut output = Vec::new();
    let shell = match what {
        Generated::Man => {
            let man = clap_mangen::Man::new(command);
            // A vector takes everything.
            let _ = man.render(&mut output);
            return output;
        }
        Generated::Bash => Shell::Bash,
        Generated::Fish => Shell::Fish,
        Generated::Zsh => Shell::Zsh,
    };
    clap_complete::generate(shell, &mut command, "offmem", &mut output);
    output
}

#[cfg(test)]
mod tests {
    use super::{Cli, Generated, generate};
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help() {
        insta::assert_snapshot!(Cli::command().render_long_help());
    }

    #[test]
    fn every_generator_prints_something_of_its_own() {
        let text = |what| String::from_utf8(generate(what)).expect("UTF-8");
        assert!(text(Generated::Man).contains(".TH offmem 1"));
        assert!(text(Generated::Man).contains("OFFMEM=mandatory"));
        assert!(text(Generated::Bash).contains("complete -F _offmem"));
        assert!(text(Generated::Fish).contains("complete -c offmem"));
        assert!(text(Generated::Zsh).contains("#compdef offmem"));
    }
}
