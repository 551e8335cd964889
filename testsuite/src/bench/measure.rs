//! Times of commands. Two commands are compared by running them in turn, so
//! that what the machine does meanwhile meets both. The least of many counts,
//! since disturbance only ever adds; where there are not many, the median of
//! [`Ratios`] of neighbours.

use std::io::{BufRead, BufReader, Write};
use std::mem;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// Least times of `left` and `right`, in seconds, over that many rounds.
pub(crate) fn alternate(
    rounds: usize,
    mut left: impl FnMut() -> f64,
    mut right: impl FnMut() -> f64,
) -> (f64, f64) {
    let mut least = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds {
        least = (least.0.min(left()), least.1.min(right()));
    }
    least
}

/// CPU seconds of a command and of all that it runs.
///
/// # Panics
/// If it fails.
pub(crate) fn cpu_seconds(command: &mut Command) -> f64 {
    let before = children();
    let status = command.status().expect("the command runs");
    assert!(status.success(), "{command:?}: {status}");
    children() - before
}

/// Seconds from start to end of a command.
///
/// # Panics
/// If it fails.
pub(crate) fn wall_seconds(command: &mut Command) -> f64 {
    let start = Instant::now();
    let status = command.status().expect("the command runs");
    let seconds = start.elapsed().as_secs_f64();
    assert!(status.success(), "{command:?}: {status}");
    seconds
}

/// Ratios of times that were taken one after the other.
#[derive(Debug, Default)]
pub(crate) struct Ratios(Vec<f64>);

impl Ratios {
    /// Takes ratios until it is 95 % sure on which side of `limit` their median is, but
    /// at most that many.
    pub(crate) fn judge(limit: f64, most: usize, mut ratio: impl FnMut() -> f64) -> Ratios {
        const LEAST: usize = 9;
        let mut ratios = Ratios::default();
        while ratios.0.len() < most {
            ratios.0.push(ratio());
            ratios.0.sort_by(f64::total_cmp);
            let [low, high] = ratios.interval();
            if ratios.0.len() >= LEAST && !(low..=high).contains(&limit) {
                break;
            }
        }
        ratios
    }

    /// The middle one.
    pub(crate) fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    /// Where the true median is with a probability of 95 %, whatever the
    /// distribution: each ratio is above it as often as below.
    pub(crate) fn interval(&self) -> [f64; 2] {
        let count = self.0.len();
        let outside = ((count as f64 - 1.96 * (count as f64).sqrt()) / 2.0).max(0.0) as usize;
        [self.0[outside], self.0[count - 1 - outside]]
    }
}

/// A program that measures a little for each line that it reads, and prints
/// figures in one.
pub(crate) struct Meter {
    program: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Meter {
    /// # Panics
    /// If it does not start.
    pub(crate) fn start(command: &mut Command) -> Meter {
        let mut program =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the command runs");
        let questions = program.stdin.take().expect("a pipe");
        let answers = BufReader::new(program.stdout.take().expect("a pipe"));
        Meter { program, questions, answers }
    }

    /// # Panics
    /// If the program does not answer with so many.
    pub(crate) fn figures<const COUNT: usize>(&mut self) -> [f64; COUNT] {
        let mut line = String::new();
        self.questions.write_all(b"\n").expect("it reads");
        self.answers.read_line(&mut line).expect("it writes");
        let figures: Vec<f64> =
            line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        figures.try_into().expect("as many figures")
    }

    /// # Panics
    /// If the program does not answer with one.
    pub(crate) fn read(&mut self) -> f64 {
        let [figure] = self.figures();
        figure
    }

    /// # Panics
    /// If the program fails.
    pub(crate) fn end(mut self) {
        drop(self.questions);
        assert!(self.program.wait().expect("it ends").success());
    }
}

fn children() -> f64 {
    // SAFETY: getrusage fills the struct, for which zeros are valid.
    let usage = unsafe {
        let mut usage: libc::rusage = mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
