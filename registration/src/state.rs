use core::fmt;

/// What is being done with a region. The order matters: from `Dropping` on it
/// stands in the table, from `Unregistered` on it may be used, from
/// `Registered` on it is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// No region: the record is free.
    Free,
    /// Dropped; somebody still uses it.
    Gone,
    /// Its registration is being undone, and then it goes.
    Dropping,
    /// A candidate.
    Unregistered,
    /// A thread is registering it.
    Registering,
    /// A thread is undoing its registration; it stays, as a candidate.
    Evicting,
    /// With the driver, by us.
    Registered,
    /// With the driver, by somebody else.
    Adopted,
}

impl Phase {
    const ALL: [Phase; 8] = [
        Phase::Free,
        Phase::Gone,
        Phase::Dropping,
        Phase::Unregistered,
        Phase::Registering,
        Phase::Evicting,
        Phase::Registered,
        Phase::Adopted,
    ];

    /// A thread is at the driver with it.
    pub(crate) const fn is_busy(self) -> bool {
        matches!(self, Phase::Dropping | Phase::Registering | Phase::Evicting)
    }
}

/// A record's state in one word, so that a lookup can count itself in and know
/// by the same operation that the record is still that region's: users 0–26,
/// sticky 27, refused 28, phase 29–31, version 32–63.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct State(pub(crate) u64);

impl State {
    /// One user.
    pub(crate) const USER: u64 = 1;
    /// Never to be evicted.
    pub(crate) const STICKY: u64 = 1 << 27;
    /// The driver would not have it.
    pub(crate) const REFUSED: u64 = 1 << 28;
    const PHASE: u32 = 29;
    const VERSION: u32 = 32;

    /// A new region in a record that had `version`: one user, unregistered.
    pub(crate) const fn first(version: u32, flags: u64) -> State {
        let version = (version.wrapping_add(1) as u64) << State::VERSION;
        State(version | State::step(Phase::Free, Phase::Unregistered) | flags | State::USER)
    }

    /// What is added to the word to get from one phase to another.
    pub(crate) const fn step(from: Phase, to: Phase) -> u64 {
        ((to as u64) << State::PHASE).wrapping_sub((from as u64) << State::PHASE)
    }

    pub(crate) const fn users(self) -> u64 {
        self.0 & (State::STICKY - 1)
    }

    pub(crate) const fn phase(self) -> Phase {
        Phase::ALL[(self.0 >> State::PHASE & 7) as usize]
    }

    pub(crate) const fn version(self) -> u32 {
        (self.0 >> State::VERSION) as u32
    }

    pub(crate) const fn has(self, flag: u64) -> bool {
        self.0 & flag != 0
    }

    /// Without users and flags.
    pub(crate) const fn freed(self) -> State {
        State((self.version() as u64) << State::VERSION)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} v{} of {}", self.phase(), self.version(), self.users())
    }
}

#[cfg(test)]
mod tests {
    use super::{Phase, State};

    #[test]
    fn the_fields_do_not_touch_each_other() {
        let state = State::first(u32::MAX - 1, State::STICKY | State::REFUSED);
        assert_eq!((state.version(), state.users()), (u32::MAX, 1));
        assert_eq!(state.phase(), Phase::Unregistered);
        assert_eq!(State::first(u32::MAX, 0).version(), 0);
        for from in Phase::ALL {
            for to in Phase::ALL {
                let at = State(state.0.wrapping_add(State::step(Phase::Unregistered, from)));
                let then = State(at.0.wrapping_add(State::step(from, to)));
                assert_eq!((at.phase(), then.phase()), (from, to));
                assert_eq!((then.version(), then.users()), (u32::MAX, 1));
                assert!(then.has(State::STICKY) && then.has(State::REFUSED));
            }
        }
        assert_eq!(state.freed(), State((u32::MAX as u64) << 32));
    }
}
