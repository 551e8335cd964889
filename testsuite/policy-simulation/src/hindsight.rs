//! What an optimal choice of registrations costs, in hindsight.

use crate::{Event, Machine, Trace};

/// One copy: when, and what it costs from pageable and from registered memory.
struct Use {
    step: f64,
    pageable: f64,
    locked: f64,
}

/// A block from its allocation to its end.
struct Life {
    size: f64,
    admitted: bool,
    price: f64,
    uses: Vec<Use>,
}

/// At most what a trace costs in hindsight, in nanoseconds.
///
/// Without a limit that matters it is exact: each block is registered for the
/// copies for which that is cheapest. With one it is the Lagrangian relaxation
/// of the limit: registered bytes pay a rent for each step of the trace, and
/// the limit's own rent is paid back. Every rent gives a lower bound; this is
/// the greatest. It includes that registrations end at the latest with the
/// process.
pub fn lower_bound(trace: &Trace, machine: &Machine) -> f64 {
    let lives = lives(trace, machine);
    let steps = trace.events.len() as f64;
    let at = |rent: f64| {
        let paid: f64 = lives.iter().map(|life| life.cost(rent)).sum();
        if rent == 0.0 { paid } else { paid - rent * trace.budget as f64 * steps }
    };
    if trace.budget == u64::MAX {
        return at(0.0);
    }
    // Concave in the rent; above `high` nothing would be registered.
    let gains = lives.iter().flat_map(|life| {
        life.uses.iter().map(|copy| (copy.pageable - copy.locked).max(0.0) / life.size)
    });
    let (mut low, mut high) = (0.0, gains.fold(0.0, f64::max));
    for _ in 0..100 {
        let third = (high - low) / 3.0;
        if at(low + third) < at(high - third) { low += third } else { high -= third }
    }
    at(0.0).max(at((low + high) / 2.0))
}

fn lives(trace: &Trace, machine: &Machine) -> Vec<Life> {
    let mut lives = Vec::new();
    let mut current = vec![usize::MAX; trace.blocks()];
    for (step, event) in trace.events.iter().enumerate() {
        match *event {
            Event::Allocate { block, size, .. } => {
                current[block] = lives.len();
                lives.push(Life {
                    size: size as f64,
                    admitted: size <= trace.budget,
                    price: machine.register(size) + machine.unregister(size),
                    uses: Vec::new(),
                });
            }
            Event::Copy { block, bytes, direction, .. } => {
                lives[current[block]].uses.push(Use {
                    step: step as f64,
                    pageable: machine.copy(direction, false, bytes),
                    locked: machine.copy(direction, true, bytes),
                });
            }
            Event::Free { .. } => {}
        }
    }
    lives
}

impl Life {
    /// The least cost, where each registered byte pays `rent` for a step.
    fn cost(&self, rent: f64) -> f64 {
        if !self.admitted {
            return self.uses.iter().map(|copy| copy.pageable).sum();
        }
        let rent = rent * self.size;
        // Least costs up to here with the block not registered, and registered.
        let (mut without, mut with) = (0.0, f64::INFINITY);
        let mut before = 0.0;
        for copy in &self.uses {
            let kept = with + rent * (copy.step - before);
            let anew = f64::min(without, with) + self.price + rent;
            (without, with) =
                (f64::min(without, with) + copy.pageable, kept.min(anew) + copy.locked);
            before = copy.step;
        }
        without.min(with)
    }
}

#[cfg(test)]
mod tests {
    use super::lower_bound;
    use crate::{MACHINES, Trace, stock};

    const MIB: u64 = 1 << 20;

    fn uses(blocks: usize, rounds: usize, budget: u64) -> Trace {
        let mut trace = Trace::new("x");
        trace.budget = budget;
        (0..blocks).for_each(|block| trace.allocate(block, 64 * MIB, 0));
        for _ in 0..rounds {
            (0..blocks).for_each(|block| trace.copy_in(block, 64 * MIB));
        }
        trace
    }

    #[test]
    fn without_a_limit_it_is_the_better_of_two() {
        let machine = &MACHINES[0];
        let once = uses(1, 1, u64::MAX);
        assert_eq!(lower_bound(&once, machine), stock(&once, machine));
        let often = uses(1, 100, u64::MAX);
        let registered = machine.register(64 * MIB)
            + machine.unregister(64 * MIB)
            + 100.0 * machine.copy(offmem_policy::Direction::ToDevice, true, 64 * MIB);
        assert!((lower_bound(&often, machine) / registered - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_limit_of_half_saves_half() {
        let machine = &MACHINES[0];
        let (all, none) = (uses(10, 100, u64::MAX), uses(10, 100, 0));
        let half = uses(10, 100, 320 * MIB);
        let mean = (lower_bound(&all, machine) + lower_bound(&none, machine)) / 2.0;
        let bound = lower_bound(&half, machine);
        assert!(bound <= mean && bound > 0.9 * mean, "{bound} {mean}");
        assert_eq!(lower_bound(&none, machine), stock(&none, machine));
    }
}
