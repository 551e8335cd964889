//! The registration policy against hindsight, on modelled machines: the same
//! figures in every run.

use policy_simulation::{AVERAGE, SINGLE_USE, Summary, WORST, corpus, scores, table};

use crate::Figure;

/// The figures, and a table of every trace on every machine.
pub(crate) fn figures() -> ([Figure; 3], String) {
    let scores = scores(&corpus());
    let summary = Summary::of(&scores);
    let figures = [
        Figure::new("policy: cost to the optimum's, worst trace", summary.worst, WORST),
        Figure::new("policy: cost to the optimum's, average trace", summary.average, AVERAGE),
        Figure::new("policy: blocks used once, time to stock's", summary.single_use, SINGLE_USE),
    ];
    (figures, table(&scores))
}
