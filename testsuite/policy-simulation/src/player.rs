use offmem_policy::{Budget, Class, Costs, Decision, Demand, Rental};
use std::sync::atomic::AtomicU64;

use crate::{Event, Machine, Trace};

/// What a play came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// All of it, in modelled nanoseconds.
    pub nanoseconds: f64,
    /// How often something was registered.
    pub registrations: u64,
    /// How often something was unregistered to make room.
    pub evictions: u64,
}

/// What the copies of a trace cost if nothing is ever registered, in
/// nanoseconds.
pub fn stock(trace: &Trace, machine: &Machine) -> f64 {
    let cost = |event: &Event| match *event {
        Event::Copy { bytes, direction, .. } => machine.copy(direction, false, bytes),
        _ => 0.0,
    };
    trace.events.iter().map(cost).sum()
}

/// Plays a trace as the runtime would, by the policy.
pub fn play(trace: &Trace, machine: &Machine) -> Outcome {
    let mut player = Player {
        machine,
        budget: Budget::new(trace.budget),
        costs: if machine.discrete { Costs::discrete() } else { Costs::new() },
        rental: Rental::new(),
        blocks: (0..trace.blocks()).map(|_| Block::default()).collect(),
        outcome: Outcome::default(),
    };
    for event in &trace.events {
        player.step(event);
    }
    // The process ends.
    for block in 0..player.blocks.len() {
        player.end(block);
    }
    player.outcome
}

#[derive(Default)]
struct Block {
    size: u64,
    site: usize,
    account: AtomicU64,
    registered: bool,
}

impl Block {
    fn class(&self) -> Class {
        Class::new(self.site, self.size)
    }
}

struct Player<'a> {
    machine: &'a Machine,
    budget: Budget,
    costs: Costs,
    rental: Rental,
    blocks: Vec<Block>,
    outcome: Outcome,
}

impl Player<'_> {
    fn step(&mut self, event: &Event) {
        match *event {
            Event::Allocate { block, size, site } => {
                self.blocks[block] = Block { size, site, ..Block::default() };
            }
            Event::Copy { block, bytes, direction, coming } => {
                let (region, class) = (self.blocks[block].size, self.blocks[block].class());
                self.prepare(block, &Demand { region, copied: bytes, direction, coming, class });
                let registered = self.blocks[block].registered;
                let time = self.machine.copy(direction, registered, bytes);
                self.costs.observe_copy(direction, registered, bytes, time as u64);
                self.outcome.nanoseconds += time;
            }
            Event::Free { block } => self.end(block),
        }
    }

    fn prepare(&mut self, number: usize, demand: &Demand) {
        let block = &self.blocks[number];
        if block.registered {
            self.rental.hit(&self.costs, &block.account, demand);
        } else if self.rental.copy(&self.costs, &block.account, demand) == Decision::Register {
            if self.make_room(number) {
                let time = self.machine.register(demand.region);
                self.costs.observe_register(demand.region, time as u64);
                self.outcome.nanoseconds += time;
                self.outcome.registrations += 1;
                self.blocks[number].registered = true;
                self.rental.registered(&self.costs, &self.blocks[number].account, demand);
            } else {
                self.rental.refused(&self.costs, &self.blocks[number].account, demand);
            }
        }
    }

    fn make_room(&mut self, number: usize) -> bool {
        let size = self.blocks[number].size;
        if !self.budget.admits(size) {
            return false;
        }
        if self.budget.reserve(size) {
            return true;
        }
        let candidate = &self.blocks[number].account;
        let mut victims: Vec<usize> = (0..self.blocks.len())
            .filter(|victim| self.blocks[*victim].registered)
            .filter(|victim| {
                let victim = &self.blocks[*victim].account;
                self.rental.yields(&self.costs, victim, candidate, size)
            })
            .collect();
        victims.sort_by_key(|victim| {
            std::cmp::Reverse(self.rental.idle(&self.blocks[*victim].account))
        });
        let mut missing = self.budget.shortage(size);
        let enough = victims.iter().position(|victim| {
            missing = missing.saturating_sub(self.blocks[*victim].size);
            missing == 0
        });
        let Some(last) = enough else { return false };
        for victim in &victims[..=last] {
            self.end(*victim);
            self.outcome.evictions += 1;
        }
        self.budget.reserve(size)
    }

    /// A block is unregistered if it is registered, and its account ends.
    fn end(&mut self, number: usize) {
        let block = &mut self.blocks[number];
        let registered = std::mem::take(&mut block.registered);
        self.rental.end(&self.costs, &block.account, block.size, registered);
        if registered {
            let time = self.machine.unregister(block.size);
            self.costs.observe_unregister(block.size, time as u64);
            self.outcome.nanoseconds += time;
            self.budget.release(block.size);
        }
    }
}
