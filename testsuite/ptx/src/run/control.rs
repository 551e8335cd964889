//! A warp's turn: which group runs, and the instructions that decide it.

use super::barrier::Barriers;
use super::divergence::{Choice, Group, Wait};
use super::fault::{TRAP, Trouble};
use super::launch::Machine;
use super::register::{Mask, lanes};
use super::straight::Stop;
use super::warp::{State, Warp, first_lane};
use crate::instruction::{Instruction, Operation, Register, Shuffle, Vote};
use crate::shared::Arena;
use crate::space::{Space, WINDOWS};

/// What a warp needs to run for a while.
pub(super) struct Turn<'a> {
    pub(super) machine: &'a Machine<'a>,
    pub(super) cta: [u32; 3],
    pub(super) shared: &'a mut Arena,
    pub(super) barriers: &'a mut Barriers,
    pub(super) warp: &'a mut Warp,
    /// Instructions until the turn is over.
    pub(super) left: u32,
    /// Function and instruction that caused trouble.
    pub(super) at: (u32, u32),
}

/// The group whose instruction is executed outside of the inner loop.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub(super) index: usize,
    pub(super) pc: u32,
    /// The lanes of the group, and those that execute.
    pub(super) mask: Mask,
    pub(super) active: Mask,
    /// The lanes of the frame.
    pub(super) present: Mask,
}

impl Turn<'_> {
    /// Runs the warp until its turn is over, it waits or it is done.
    pub(super) fn run(&mut self) -> Result<(), Trouble> {
        loop {
            let Some(frame) = self.warp.frames.last() else {
                self.warp.state = State::Done;
                return Ok(());
            };
            let first = frame.first;
            match self.warp.groups.choose(first) {
                Choice::Return => self.warp.pop(),
                Choice::Stuck => self.release_stuck(first)?,
                Choice::Run(chosen) => match self.straight(chosen) {
                    Ok(Stop::Quantum) => return Ok(()),
                    Ok(Stop::Choose) => {}
                    Ok(Stop::Control) => {
                        self.control(chosen.index)?;
                        if !matches!(self.warp.state, State::Running) {
                            return Ok(());
                        }
                    }
                    Err(trouble) => {
                        self.mark(chosen.index);
                        return Err(trouble);
                    }
                },
            }
        }
    }

    /// Remembers where the group is, for a fault.
    fn mark(&mut self, index: usize) {
        let function = self.warp.frames.last().map_or(0, |frame| frame.function);
        self.at = (function, self.warp.groups.get(index).pc);
    }

    /// Executes the instruction that the group is at.
    fn control(&mut self, index: usize) -> Result<(), Trouble> {
        self.mark(index);
        self.left = self.left.saturating_sub(1);
        self.warp.instructions += 1;
        let (number, pc) = self.at;
        let instruction = self.machine.program.functions[number as usize].code[pc as usize];
        let mask = self.warp.groups.get(index).mask;
        let present = self.warp.frames.last().map_or(0, |frame| frame.mask);
        let active = self.warp.window().guarded(instruction.guard, mask);
        let here = Here { index, pc, mask, active, present };
        match instruction.operation {
            Operation::Branch(target) => {
                let group = self.warp.groups.at(index);
                group.pc = pc + 1;
                group.mask = mask & !active;
                self.warp.groups.add(Group::new(target, active));
            }
            Operation::Call(call) => self.call(here, call)?,
            Operation::Return => self.return_(here),
            Operation::Exit => self.exit(here),
            Operation::Trap => return Err(Trouble::new(active, TRAP)),
            Operation::Barrier(barrier) => self.barrier(here, &instruction, barrier)?,
            Operation::WarpBarrier => {
                let members = self.members(instruction.sources[0], active);
                if self.together(here, members) {
                    self.advance(here);
                }
            }
            Operation::Shuffle(shuffle) => self.shuffle(here, &instruction, shuffle),
            Operation::Vote(vote) => self.vote(here, &instruction, vote),
            _ => self.addressing(here, &instruction)?,
        }
        Ok(())
    }

    /// Instructions about active lanes and local memory.
    fn addressing(&mut self, here: Here, instruction: &Instruction) -> Result<(), Trouble> {
        let Here { active, present, .. } = here;
        let source = instruction.sources[0];
        let frame_local = self.warp.frames.last().map_or(0, |frame| frame.local);
        match instruction.operation {
            Operation::ActiveMask => {
                let value = u64::from(active);
                let mut window = self.warp.window();
                window.write_same(instruction.destination, value, active, present);
            }
            Operation::LocalAddress(offset) => {
                let value = frame_local + u64::from(offset);
                let mut window = self.warp.window();
                window.write_same(instruction.destination, value, active, present);
            }
            Operation::IsSpace(space) => {
                let mut window = self.warp.window();
                let values =
                    std::array::from_fn(|lane| u64::from(is_in(space, window.lane(source, lane))));
                window.write_lanes(instruction.destination, &values, active, present);
            }
            Operation::Alloca(alignment) => {
                let window = self.warp.window();
                let sizes = lanes(active).map(|lane| window.lane(source, lane));
                let size = sizes.max().unwrap_or(0);
                let offset = self.warp.local.allocate(size, u64::from(alignment), active);
                let Some(offset) = offset else {
                    return Err(Trouble::new(active, "local memory is exhausted"));
                };
                let mut window = self.warp.window();
                window.write_same(instruction.destination, offset, active, present);
            }
            Operation::StackSave => {
                let top = self.warp.local.top();
                let mut window = self.warp.window();
                window.write_same(instruction.destination, top, active, present);
            }
            // What some lanes give back others may still use.
            Operation::StackRestore if active == present => {
                let top = self.warp.window().lane(source, first_lane(active));
                self.warp.restore_local(top);
            }
            _ => {}
        }
        self.advance(here);
        Ok(())
    }

    /// The group goes on behind its instruction.
    pub(super) fn advance(&mut self, here: Here) {
        let group = self.warp.groups.at(here.index);
        group.pc = here.pc + 1;
        group.wait = Wait::No;
    }

    /// Ends some lanes.
    fn exit(&mut self, here: Here) {
        for frame in &mut self.warp.frames {
            frame.mask &= !here.active;
        }
        self.warp.groups.remove(here.active);
        self.advance(here);
    }

    /// The lanes that a `.sync` instruction names; all of them for others.
    pub(super) fn members(&mut self, members: Register, active: Mask) -> Mask {
        if members == Register::ZERO {
            return Mask::MAX;
        }
        self.warp.window().lane(members, first_lane(active)) as Mask
    }

    /// Whether all `members` that the frame still has are at the instruction;
    /// if not, the group waits for them.
    pub(super) fn together(&mut self, here: Here, members: Mask) -> bool {
        if here.mask == here.present {
            return true;
        }
        let first = self.warp.frames.last().map_or(0, |frame| frame.first);
        let missing = members & self.warp.groups.present(first) & !here.mask;
        let group = self.warp.groups.at(here.index);
        if missing == 0 || group.wait == Wait::Alone {
            return true;
        }
        group.wait = Wait::Yes;
        false
    }

    /// Finds a way on when all groups of the frame wait for each other.
    fn release_stuck(&mut self, first: usize) -> Result<(), Trouble> {
        let number = self.warp.frames.last().map_or(0, |frame| frame.function);
        let function = &self.machine.program.functions[number as usize];
        let operation = |group: &Group| function.code[group.pc as usize].operation;
        let groups = self.warp.groups.frame(first);
        // Since sm_70 lanes may meet at different `bar.warp.sync`.
        if groups.iter().all(|group| matches!(operation(group), Operation::WarpBarrier)) {
            for group in groups {
                group.pc += 1;
                group.wait = Wait::No;
            }
            return Ok(());
        }
        // Without `.sync` the active lanes do it for themselves.
        let alone = groups.iter_mut().find(|group| match operation(group) {
            Operation::Shuffle(Shuffle { members, .. }) | Operation::Vote(Vote { members, .. }) => {
                members == Register::ZERO
            }
            _ => false,
        });
        if let Some(group) = alone {
            group.wait = Wait::Alone;
            return Ok(());
        }
        let places = groups.iter().map(|group| {
            format!("{:#x} at line {}", group.mask, function.lines[group.pc as usize])
        });
        let reason =
            format!("lanes wait for each other: {}", places.collect::<Vec<_>>().join(", "));
        let group = groups[0];
        self.at = (number, group.pc);
        Err(Trouble::new(group.mask, reason))
    }
}

/// Whether a generic address is in a space (PTX ISA 9.7.9.19).
fn is_in(space: Space, address: u64) -> bool {
    match space {
        Space::Shared | Space::Local => Space::of(address) == space,
        Space::Global => address < WINDOWS,
        Space::Generic | Space::Const => false,
    }
}
