//! Traces of copies, played by the registration policy, by stock libgomp and by
//! hindsight, on modelled machines.
//!
//! It is arithmetic and gives the same figures everywhere, so the benches show
//! them and tests hold their limits.

mod corpus;
mod generate;
mod hindsight;
mod machine;
mod player;
mod trace;

pub use corpus::corpus;
pub use generate::generated;
pub use hindsight::lower_bound;
pub use machine::{MACHINES, Machine};
pub use player::{Outcome, play, stock};
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
