//! What blocks of one kind turned out to be worth.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SLOTS: usize = 512;

/// Blocks that are expected to be alike: from one call site, of about one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Class(u16);

impl Class {
    pub(crate) const BITS: u32 = SLOTS.ilog2();

    /// Of the blocks of about `bytes` bytes that `site` (any number; 0 where
    /// it is not known) made or first used.
    pub const fn new(site: usize, bytes: u64) -> Class {
        let size = bytes.checked_ilog2();
        let size = match size {
            Some(size) => size as u64 + 1,
            None => 0,
        };
        // Fibonacci hashing; the top bits are the mixed ones.
        let kind = (site as u64).rotate_left(6) ^ size;
        Class((kind.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - Class::BITS)) as u16)
    }

    /// Of a number whose lowest [`Class::BITS`] are the class.
    pub(crate) const fn from_bits(bits: u16) -> Class {
        Class(bits % SLOTS as u16)
    }

    pub(crate) const fn to_bits(self) -> u16 {
        self.0
    }
}

/// Regret is a share of what a registration costs.
const ONE: u64 = 1 << 20;
const REGRET_BITS: u32 = 24;
const REGRET: u64 = (1 << REGRET_BITS) - 1;

/// Blocks after which a class is believed, and for how many it remembers.
const BELIEVED: u64 = 3;
const MEMORY: u64 = 8;
/// The same for all blocks together.
const BELIEVED_ALL: u64 = 8;

/// How much dearer than hindsight two ways would have been on average:
/// registering at the first copy, and waiting until it has paid. A word has
/// both and a count; threads that learn at once may lose a block.
#[derive(Debug)]
pub(crate) struct Experience {
    classes: [AtomicU64; SLOTS],
    all: AtomicU64,
}

#[derive(Clone, Copy)]
struct Regrets {
    count: u64,
    first: u64,
    wait: u64,
}

impl Regrets {
    fn load(word: &AtomicU64) -> Regrets {
        let word = word.load(Relaxed);
        Regrets {
            count: word >> (2 * REGRET_BITS),
            first: word & REGRET,
            wait: word >> REGRET_BITS & REGRET,
        }
    }

    fn learn(word: &AtomicU64, first: u64, wait: u64) {
        let old = Regrets::load(word);
        let count = (old.count + 1).min(MEMORY);
        let mean = |old: u64, new: u64| (old * (count - 1) + new.min(ONE)) / count;
        let (first, wait) = (mean(old.first, first), mean(old.wait, wait));
        word.store(count << (2 * REGRET_BITS) | wait << REGRET_BITS | first, Relaxed);
    }

    /// With a margin, since a block that is left alone costs what it did
    /// without us.
    fn favour_first(self) -> bool {
        self.first + ONE / 16 < self.wait
    }
}

impl Experience {
    pub(crate) const fn new() -> Experience {
        Experience { classes: [const { AtomicU64::new(0) }; SLOTS], all: AtomicU64::new(0) }
    }

    /// A block's losses reached `price`, after `lost` of waiting.
    pub(crate) fn paid(&self, class: Class, lost: u64, price: u64) {
        self.learn(class, 0, share(lost, price));
    }

    /// A block ended and had lost only that much.
    pub(crate) fn unpaid(&self, class: Class, lost: u64, price: u64) {
        self.learn(class, ONE - share(lost, price).min(ONE), 0);
    }

    fn learn(&self, class: Class, first: u64, wait: u64) {
        Regrets::learn(&self.classes[usize::from(class.0)], first, wait);
        Regrets::learn(&self.all, first, wait);
    }

    /// Whether a block of the class had better be registered at once.
    pub(crate) fn favours_first(&self, class: Class) -> bool {
        let own = Regrets::load(&self.classes[usize::from(class.0)]);
        if own.count >= BELIEVED {
            return own.favour_first();
        }
        let all = Regrets::load(&self.all);
        all.count >= BELIEVED_ALL && all.favour_first()
    }
}

fn share(part: u64, whole: u64) -> u64 {
    u64::try_from(u128::from(part) * u128::from(ONE) / u128::from(whole.max(1))).unwrap_or(ONE)
}

#[cfg(test)]
mod tests {
    use super::{Class, Experience};

    #[test]
    fn a_class_is_learned_from_three_blocks() {
        let (experience, class) = (Experience::new(), Class::new(1, 1 << 20));
        for _ in 0..2 {
            experience.paid(class, 80, 100);
        }
        assert!(!experience.favours_first(class));
        experience.paid(class, 80, 100);
        assert!(experience.favours_first(class));
        assert!(!experience.favours_first(Class::new(2, 1 << 20)));
        for _ in 0..8 {
            experience.unpaid(class, 0, 100);
        }
        assert!(!experience.favours_first(class));
    }

    #[test]
    fn an_unknown_class_goes_by_all() {
        let experience = Experience::new();
        for site in 0..8 {
            experience.paid(Class::new(site, 4096), 80, 100);
        }
        assert!(experience.favours_first(Class::new(99, 1 << 30)));
    }

    #[test]
    fn waiting_for_nothing_is_no_regret() {
        let (experience, class) = (Experience::new(), Class::new(1, 1));
        for _ in 0..5 {
            experience.paid(class, 0, 100);
        }
        assert!(!experience.favours_first(class), "both ways are the same");
    }

    #[test]
    fn sizes_are_classed_by_powers_of_two() {
        assert_eq!(Class::new(7, 1 << 20), Class::new(7, (2 << 20) - 1));
        assert_ne!(Class::new(7, 1 << 20), Class::new(7, 2 << 20));
        assert_ne!(Class::new(7, 1 << 20), Class::new(0x40_1234, 1 << 20));
    }
}
