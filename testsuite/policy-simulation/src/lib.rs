//! Traces of copies, played by the registration policy, by stock libgomp and by
//! hindsight, on modelled machines.
//!
//! It is arithmetic and gives the same figures everywhere, so the benches show
//! them and tests hold their limits.

use std::fmt::Write;

mod corpus;
mod generate;
mod hindsight;
mod machine;
mod player;
mod recording;
mod trace;

pub use corpus::corpus;
pub use generate::{arbitrary, generated};
pub use hindsight::lower_bound;
pub use machine::{MACHINES, Machine};
pub use player::{Outcome, play, stock};
pub use recording::recorded;
pub use trace::{Event, Trace};

/// What one trace costs on one machine, in modelled nanoseconds.
#[derive(Clone, Debug)]
pub struct Score {
    /// The trace's name.
    pub trace: String,
    /// The machine's name.
    pub machine: &'static str,
    /// Never registering.
    pub stock: f64,
    /// The policy.
    pub ours: Outcome,
    /// At most what hindsight pays.
    pub bound: f64,
}

impl Score {
    /// The policy's cost in relation to hindsight's: at least 1, and more than
    /// it really is where the bound isn't tight.
    pub fn ratio(&self) -> f64 {
        self.ours.nanoseconds / self.bound
    }
}

/// Figures over all traces and machines, each with what it may be at most.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The worst ratio to hindsight: at most [`WORST`].
    pub worst: f64,
    /// The average ratio, on the machine where it is highest: at most [`AVERAGE`].
    pub average: f64,
    /// Time for blocks that are used once, in relation to stock, on the machine
    /// where it is highest: at most [`SINGLE_USE`].
    pub single_use: f64,
}

/// Twice the optimum.
pub const WORST: f64 = 2.0;
/// What predictions have to achieve.
pub const AVERAGE: f64 = 1.3;
/// 0.98 times stock's speed.
pub const SINGLE_USE: f64 = 1.0 / 0.98;

impl Summary {
    /// Of these plays.
    pub fn of(scores: &[Score]) -> Summary {
        let greatest = |figures: &mut dyn Iterator<Item = f64>| figures.fold(0.0, f64::max);
        let average = |machine: &Machine| {
            let ratios = scores.iter().filter(|score| score.machine == machine.name);
            let ratios: Vec<f64> = ratios.map(Score::ratio).collect();
            ratios.iter().sum::<f64>() / ratios.len() as f64
        };
        let single = scores.iter().filter(|score| score.trace == generate::SINGLE_USE);
        Summary {
            worst: greatest(&mut scores.iter().map(Score::ratio)),
            average: greatest(&mut MACHINES.iter().map(average)),
            single_use: greatest(&mut single.map(|score| score.ours.nanoseconds / score.stock)),
        }
    }
}

/// Plays every trace on every machine.
pub fn scores(traces: &[Trace]) -> Vec<Score> {
    let score = |trace: &Trace, machine: &'static Machine| Score {
        trace: trace.name.clone(),
        machine: machine.name,
        stock: stock(trace, machine),
        ours: play(trace, machine),
        bound: lower_bound(trace, machine),
    };
    traces
        .iter()
        .flat_map(|trace| MACHINES.iter().map(move |machine| score(trace, machine)))
        .collect()
}

/// For each trace and machine: our cost by the least that it could be, and
/// stock's by ours.
pub fn table(scores: &[Score]) -> String {
    let mut table = String::new();
    for of_trace in scores.chunk_by(|one, other| one.trace == other.trace) {
        let _ = write!(table, "  {:<40}", of_trace[0].trace);
        for score in of_trace {
            let speedup = score.stock / score.ours.nanoseconds;
            let _ = write!(table, "  {} {:.2} x{speedup:.2}", score.machine, score.ratio());
        }
        table.push('\n');
    }
    table
}
