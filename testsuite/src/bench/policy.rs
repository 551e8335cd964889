//! The registration policy against hindsight, on modelled machines: the same
//! figures in every run.

use policy_simulation::{AVERAGE, SINGLE_USE, Summary, WORST, corpus, scores, table};

use crate::Figure;

/// The figures, and a table of every trace on every machine.
pub(crate) fn figures() -> ([Figure; 3], String) {
    let scores = scores(&corpus());
    let summary = Summary::of(&scores);
    let figures = [
        Figure {
            name: "policy: cost to the optimum's, worst trace",
            ratio: summary.worst,
            limit: WORST,
        },
        Figure {
            name: "policy: cost to the optimum's, average trace",
            ratio: summary.average,
            limit: AVERAGE,
        },
        Figure {
            name: "policy: blocks used once, time to stock's",
            ratio: summary.single_use,
            limit: SINGLE_USE,
        },
    ];
    (figures, table(&scores))
}
