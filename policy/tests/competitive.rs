//! The policy against hindsight, over all traces and machines. Arithmetic: the
//! figures are the same everywhere.

use policy_simulation::{AVERAGE, SINGLE_USE, Score, Summary, WORST, arbitrary, corpus, scores};
use std::sync::LazyLock;

static CORPUS: LazyLock<Vec<Score>> = LazyLock::new(|| scores(&corpus()));

#[test]
fn no_trace_costs_twice_the_optimum() {
    assert!(CORPUS.len() >= 3 * 12);
    for score in &*CORPUS {
        let (name, machine) = (&score.trace, score.machine);
        assert!(score.bound <= score.stock * (1.0 + 1e-9), "{name}, {machine}: no lower bound");
        assert!(score.ratio() >= 1.0 - 1e-9, "{name}, {machine}: no lower bound");
        assert!(score.ratio() <= WORST, "{name}, {machine}: {:.3}", score.ratio());
    }
}

#[test]
fn predictions_bring_the_average_down() {
    let summary = Summary::of(&CORPUS);
    assert!(summary.average <= AVERAGE, "{summary:?}");
}

#[test]
fn what_is_used_once_costs_no_more_than_without_us() {
    let summary = Summary::of(&CORPUS);
    assert!(summary.single_use > 0.0 && summary.single_use <= SINGLE_USE, "{summary:?}");
}

#[test]
fn nothing_that_a_program_does_costs_twice_the_optimum() {
    let traces: Vec<_> = (0..400).map(arbitrary).collect();
    for score in scores(&traces) {
        let (name, machine) = (&score.trace, score.machine);
        assert!(score.ratio() >= 1.0 - 1e-9, "{name}, {machine}: no lower bound");
        assert!(score.ratio() <= WORST, "{name}, {machine}: {:.3}", score.ratio());
    }
}
