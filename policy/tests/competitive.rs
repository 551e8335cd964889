//! The policy against hindsight, over all traces and machines.

use policy_simulation::{corpus, scores};

#[test]
fn never_above_twice_the_optimum() {
    for s in scores(&corpus()) {
        println!(
            "{:<45} {:<10} ratio {:.3} stock/ours {:.3} {:?}",
            s.trace,
            s.machine,
            s.ratio(),
            s.stock / s.ours.nanoseconds,
            s.ours
        );
    }
}
