//! Which lanes of a warp run together.
//!
//! Within a frame the lanes form groups, each with a program counter. The
//! group with the lowest one runs, until it reaches the next group's and the
//! two are one again: GCC lays out code so that this is where the paths of a
//! branch join. Lanes that are together stay in lockstep, on which GCC's code
//! relies where all of them store the same.

use super::register::Mask;

/// Lanes with the same program counter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) pc: u32,
    pub(super) mask: Mask,
    pub(super) wait: Wait,
}

/// Whether a group waits for other lanes of its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    No,
    /// At an instruction that lanes execute together.
    Yes,
    /// No longer: the others will not come.
    Alone,
}

impl Group {
    pub(super) fn new(pc: u32, mask: Mask) -> Group {
        Group { pc, mask, wait: Wait::No }
    }
}

/// The groups of all frames of a warp, the innermost frame's last.
#[derive(Default)]
pub(super) struct Groups(Vec<Group>);

/// What the innermost frame does next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice {
    /// No lanes are left.
    Return,
    /// A group runs.
    Run(Chosen),
    /// All groups wait.
    Stuck,
}

/// The group to run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub(super) index: usize,
    /// Where it may meet another group.
    pub(super) limit: u32,
    /// Whether it meets none behind it, whichever way it branches.
    pub(super) lowest: bool,
}

impl Groups {
    /// Where the groups of a new frame begin.
    pub(super) fn push(&mut self, group: Group) -> usize {
        self.0.push(group);
        self.0.len() - 1
    }

    /// Adds a group to the innermost frame.
    pub(super) fn add(&mut self, group: Group) {
        self.0.push(group);
    }

    pub(super) fn get(&self, index: usize) -> Group {
        self.0[index]
    }

    pub(super) fn at(&mut self, index: usize) -> &mut Group {
        &mut self.0[index]
    }

    /// The groups of the innermost frame, which begin at `first`.
    pub(super) fn frame(&mut self, first: usize) -> &mut [Group] {
        &mut self.0[first..]
    }

    /// The lanes that the innermost frame still has.
    pub(super) fn present(&self, first: usize) -> Mask {
        self.0[first..].iter().fold(0, |all, group| all | group.mask)
    }

    /// Takes lanes away for good, in all frames.
    pub(super) fn remove(&mut self, mask: Mask) {
        for group in &mut self.0 {
            group.mask &= !mask;
            group.wait = Wait::No;
        }
    }

    /// Takes lanes away from the innermost frame.
    pub(super) fn retire(&mut self, first: usize, mask: Mask) {
        for group in &mut self.0[first..] {
            group.mask &= !mask;
            group.wait = Wait::No;
        }
    }

    /// Joins groups that have met and picks the one to run.
    pub(super) fn choose(&mut self, first: usize) -> Choice {
        if let [only @ Group { mask: 1.., .. }] = &mut self.0[first..] {
            only.wait = Wait::No;
            return Choice::Run(Chosen { index: first, limit: u32::MAX, lowest: true });
        }
        self.join(first);
        let groups = &self.0[first..];
        if groups.is_empty() {
            return Choice::Return;
        }
        match groups.iter().position(|group| group.wait != Wait::Yes) {
            None if groups.len() > 1 => Choice::Stuck,
            position => {
                let position = position.unwrap_or(0);
                let limit = groups.get(position + 1).map_or(u32::MAX, |next| next.pc);
                Choice::Run(Chosen { index: first + position, limit, lowest: position == 0 })
            }
        }
    }

    /// Sorts the groups and makes one of those with the same counter.
    fn join(&mut self, first: usize) {
        self.0[first..].sort_unstable_by_key(|group| group.pc);
        let mut last = first;
        for index in first..self.0.len() {
            let group = self.0[index];
            if group.mask == 0 {
                continue;
            }
            if last > first && self.0[last - 1].pc == group.pc {
                self.0[last - 1].mask |= group.mask;
                self.0[last - 1].wait = Wait::No;
            } else {
                self.0[last] = group;
                last += 1;
            }
        }
        self.0.truncate(last);
    }
}
