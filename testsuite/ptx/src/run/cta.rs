//! A CTA: warps that take turns, shared memory and barriers.

use super::barrier::Barriers;
use super::control::Turn;
use super::fault::{Fault, Trouble};
use super::launch::{Counts, Machine};
use super::register::Mask;
use super::warp::{State, Warp, first_lane, thread};
use crate::alu::LANES;
use crate::shared::Arena;

/// Instructions of a short turn.
const SHORT_TURN: u32 = 8;

/// One CTA at a time; what it allocates serves for the next one too.
pub(super) struct Cta<'a> {
    machine: &'a Machine<'a>,
    id: [u32; 3],
    shared: Arena,
    barriers: Barriers,
    warps: Vec<Warp>,
}

impl<'a> Cta<'a> {
    pub(super) fn new(machine: &'a Machine<'a>) -> Cta<'a> {
        let launch = machine.launch;
        let count = machine.threads.div_ceil(LANES as u32);
        let warp = |number| Warp::new(number, launch.block, launch.local_limit);
        Cta {
            machine,
            id: [0; 3],
            shared: machine.program.shared.arena(launch.shared),
            barriers: Barriers::default(),
            warps: (0..count).map(warp).collect(),
        }
    }

    /// Runs CTA `id` to its end; stops early once `go_on` says no.
    pub(super) fn run(
        &mut self,
        id: [u32; 3],
        go_on: &dyn Fn(u64) -> bool,
    ) -> Result<(), Box<Fault>> {
        self.id = id;
        self.shared.clear();
        self.barriers = Barriers::default();
        self.start()?;
        loop {
            let mut ran = false;
            for index in 0..self.warps.len() {
                if matches!(self.warps[index].state, State::Running) {
                    ran = true;
                    self.turn(index)?;
                }
            }
            if self.warps.iter().all(|warp| matches!(warp.state, State::Done)) {
                return Ok(());
            }
            if !ran {
                return Err(self.deadlock());
            }
            if !go_on(self.counts().instructions) {
                return Err(self.fault(0, (self.machine.kernel, 0), Trouble::new(1, "stopped")));
            }
        }
    }

    fn start(&mut self) -> Result<(), Box<Fault>> {
        let kernel = self.machine.kernel;
        let function = &self.machine.program.functions[kernel as usize];
        for index in 0..self.warps.len() {
            let before = index as u32 * LANES as u32;
            let threads = (self.machine.threads - before).min(LANES as u32);
            let mask = Mask::MAX >> (LANES as u32 - threads);
            let started = self.warps[index].start(kernel, function, mask, &self.machine.words);
            started.map_err(|trouble| self.fault(index, (kernel, 0), trouble))?;
        }
        Ok(())
    }

    fn turn(&mut self, index: usize) -> Result<(), Box<Fault>> {
        let warp = &mut self.warps[index];
        let mut left = self.machine.quantum;
        if warp.short_turns > 0 {
            warp.short_turns -= 1;
            left = left.min(SHORT_TURN);
        }
        let mut turn = Turn {
            machine: self.machine,
            cta: self.id,
            shared: &mut self.shared,
            barriers: &mut self.barriers,
            warp: &mut self.warps[index],
            left,
            at: (self.machine.kernel, 0),
        };
        let result = turn.run();
        let at = turn.at;
        if let Err(trouble) = result {
            return Err(self.fault(index, at, trouble));
        }
        self.barriers.release(&mut self.warps);
        Ok(())
    }

    /// What all CTAs so far took.
    pub(super) fn counts(&self) -> Counts {
        self.warps.iter().fold(Counts::default(), |counts, warp| Counts {
            instructions: counts.instructions + warp.instructions,
            uniform: counts.uniform + warp.instructions - warp.varying,
        })
    }

    /// The fault of a warp at an instruction of a function.
    fn fault(&self, warp: usize, (number, pc): (u32, u32), trouble: Trouble) -> Box<Fault> {
        let program = self.machine.program;
        let function = &program.functions[number as usize];
        let text = &program.texts[function.object];
        let source = function.location(pc).and_then(|location| {
            text.files.get(&location.file).map(|file| (file.clone(), location.line))
        });
        let lane = first_lane(trouble.lanes);
        Box::new(Fault {
            function: function.name.clone(),
            line: function.lines.get(pc as usize).copied().unwrap_or(0),
            object: text.name.clone(),
            source,
            cta: self.id,
            thread: thread(warp as u32, lane, self.machine.launch.block),
            reason: trouble.reason,
        })
    }

    /// The fault of warps that all wait, with the place of each.
    fn deadlock(&mut self) -> Box<Fault> {
        let mut places = Vec::new();
        let mut first = None;
        for (index, warp) in self.warps.iter_mut().enumerate() {
            let State::Waiting(arrival) = warp.state else {
                places.push(format!("warp {index} is done"));
                continue;
            };
            let (number, pc) = warp.place().map_or((self.machine.kernel, 0), |(number, group)| {
                (number, group.pc.saturating_sub(1))
            });
            first.get_or_insert((index, number, pc));
            let function = &self.machine.program.functions[number as usize];
            let (arrived, expected) = self.barriers.progress(arrival.barrier);
            let of = if expected == 0 { "all".to_owned() } else { expected.to_string() };
            places.push(format!(
                "warp {index} waits at barrier {} ({arrived} of {of} threads) in {} at line {}",
                arrival.barrier, function.name, function.lines[pc as usize]
            ));
        }
        let (warp, number, pc) = first.unwrap_or((0, self.machine.kernel, 0));
        let reason = format!("deadlock: {}", places.join(", "));
        self.fault(warp, (number, pc), Trouble::new(1, reason))
    }
}
