//! Ski rental: whether to go on copying a region unregistered or to register it.

use core::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::account::{Account, distance, rounded};
use crate::class::{Class, Experience};
use crate::costs::{Costs, Direction};

/// What to do before a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Register the region, then copy.
    Register,
    /// Copy from pageable memory.
    Pageable,
}

/// A copy that will be made, and the region that it touches.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Bytes of the whole region.
    pub region: u64,
    /// Bytes of it that are copied.
    pub copied: u64,
    /// Which way.
    pub direction: Direction,
    /// Bytes that are certain to be copied the other way afterwards, as those
    /// of `map(tofrom:)` are; else 0.
    pub coming: u64,
    /// What the region is expected to be like.
    pub class: Class,
}

/// The game of all regions of a process.
///
/// Registering once the losses reach what it costs is never above twice the
/// optimum (Karlin, Manasse, Rudolph and Sleator 1988). Where earlier blocks of
/// a [`Class`] show that waiting only costs, a region is registered at once,
/// but never so that the total could come above twice the optimum: `credit` is
/// the distance from there, of what can no longer change for the worse.
/// The optimum is taken without a limit of what may be registered.
#[derive(Debug)]
pub struct Rental {
    experience: Experience,
    credit: AtomicI64,
    copies: AtomicU32,
}

impl Default for Rental {
    fn default() -> Rental {
        Rental::new()
    }
}

impl Rental {
    /// Nothing is known.
    pub const fn new() -> Rental {
        Rental {
            experience: Experience::new(),
            credit: AtomicI64::new(0),
            copies: AtomicU32::new(0),
        }
    }

    /// Before a copy of an unregistered region. [`Decision::Register`] has to be
    /// followed by [`Rental::registered`] or [`Rental::refused`].
    pub fn copy(&self, costs: &Costs, account: &AtomicU64, demand: &Demand) -> Decision {
        let game = Game::new(costs, demand);
        let old = Account::load(account);
        if game.loss > 0 {
            let paid = old.lost + game.loss + game.coming >= game.price;
            if paid || self.experience.favours_first(demand.class) && self.affords(&game, &old) {
                return Decision::Register;
            }
        }
        self.lose(&game, account, demand.class);
        Decision::Pageable
    }

    /// The region was registered, and the copy comes next.
    pub fn registered(&self, costs: &Costs, account: &AtomicU64, demand: &Demand) {
        let game = Game::new(costs, demand);
        let old = self.advance(&game, account, demand.class, |_, now| now);
        self.earn(game.balance(&old));
    }

    /// The region could not be registered, for want of room or because the
    /// driver refused. Once its losses have reached the price of that, they
    /// begin anew with this copy.
    pub fn refused(&self, costs: &Costs, account: &AtomicU64, demand: &Demand) {
        let game = Game::new(costs, demand);
        let old = Account::load(account);
        if old.lost < game.price {
            return self.lose(&game, account, demand.class);
        }
        let stamp = self.tick();
        Account::update(account, |old| Account { lost: game.loss, stamp, ..old });
    }

    /// Before a copy of a registered region.
    pub fn hit(&self, costs: &Costs, account: &AtomicU64, demand: &Demand) {
        if Account::load(account).paid {
            // Nothing more to learn, and credit enough: only when it was used.
            return Account::stamp(account, self.tick());
        }
        let game = Game::new(costs, demand);
        let old = self.advance(&game, account, demand.class, |_, now| now);
        let saved = game.optimum(old.lost + game.loss) - game.optimum(old.lost);
        self.earn(2 * saved + game.base);
    }

    /// A region is unregistered, or ends without having been `registered`. The
    /// account may then be another region's.
    pub fn end(&self, costs: &Costs, account: &AtomicU64, region: u64, registered: bool) {
        let old = Account::update(account, |_| Account::default());
        if old.lost == 0 {
            return;
        }
        if !old.paid {
            self.experience.unpaid(old.class, old.lost, costs.commitment(region));
        }
        if !registered {
            self.earn(signed(old.lost));
        }
    }

    /// Copies in the process since the region's last one: the largest is least
    /// recently used. Of registered regions.
    pub fn idle(&self, account: &AtomicU64) -> u32 {
        distance(Account::load(account).stamp, self.copies.load(Relaxed))
    }

    /// Whether the registered region `victim` may be unregistered so that
    /// another finds room, for which [`Rental::copy`] said to register it: only
    /// if the victim has not been used since the other's losses began, and these
    /// have reached the price. So a working set that does not fit and is used in
    /// turn keeps a part registered, and one that nobody uses any more goes.
    pub fn yields(
        &self,
        costs: &Costs,
        victim: &AtomicU64,
        candidate: &AtomicU64,
        region: u64,
    ) -> bool {
        let candidate = Account::load(candidate);
        candidate.lost >= costs.commitment(region)
            && distance(Account::load(victim).stamp, candidate.stamp) > 0
    }

    /// Books the loss of a copy from pageable memory.
    fn lose(&self, game: &Game, account: &AtomicU64, class: Class) {
        self.advance(game, account, class, |old, now| if old.lost == 0 { now } else { old.stamp });
    }

    /// Books a copy's loss, and tells the class when it reaches the price.
    fn advance(
        &self,
        game: &Game,
        account: &AtomicU64,
        class: Class,
        stamp: impl Fn(&Account, u32) -> u32,
    ) -> Account {
        let now = self.tick();
        let loss = rounded(game.loss, now);
        let pays = |old: &Account| game.loss > 0 && old.lost + loss >= game.price;
        let old = Account::update(account, |old| Account {
            lost: old.lost + loss,
            paid: old.paid || pays(&old),
            class,
            stamp: stamp(&old, now),
        });
        if !old.paid && pays(&old) {
            self.experience.paid(class, old.lost, game.price);
        }
        old
    }

    /// Whether the total stays below twice the optimum if the region is
    /// registered now and never used again.
    fn affords(&self, game: &Game, old: &Account) -> bool {
        let balance = game.balance(old);
        cfg!(feature = "sabotage-guard")
            || balance >= 0
            || self.credit.load(Relaxed).saturating_add(balance) >= 0
    }

    fn earn(&self, amount: i64) {
        // Far from the ends of the range, where sums would wrap.
        let sum = |credit: i64| Some(credit.saturating_add(amount).min(i64::MAX / 2));
        let _ = self.credit.fetch_update(Relaxed, Relaxed, sum);
    }

    fn tick(&self) -> u32 {
        self.copies.fetch_add(1, Relaxed).wrapping_add(1)
    }
}

/// The figures of one copy, in nanoseconds.
struct Game {
    /// What the copy loses if the region is not registered.
    loss: u64,
    /// What a later one will certainly lose.
    coming: u64,
    /// What registering costs.
    price: u64,
    /// What the copy costs at least.
    base: i64,
}

impl Game {
    fn new(costs: &Costs, demand: &Demand) -> Game {
        Game {
            loss: clip(costs.saving(demand.direction, demand.copied)),
            coming: if costs.is_known() {
                clip(costs.saving(demand.direction.other(), demand.coming))
            } else {
                0
            },
            price: clip(costs.commitment(demand.region)),
            base: signed(costs.copy(demand.direction, true, demand.copied)),
        }
    }

    /// What hindsight pays for such losses.
    fn optimum(&self, lost: u64) -> i64 {
        signed(lost.min(self.price))
    }

    /// Twice the optimum less our costs, over the region's life, if it is
    /// registered for this copy. From then on it only grows. What earlier
    /// copies cost at least is left out: it would only add.
    fn balance(&self, old: &Account) -> i64 {
        let ours = signed(old.lost).saturating_add(signed(self.price)) + self.base;
        2 * (self.optimum(old.lost + self.loss) + self.base) - ours
    }
}

/// So that sums of a few stay in range.
fn clip(nanoseconds: u64) -> u64 {
    nanoseconds.min(u64::MAX / 32)
}

fn signed(nanoseconds: u64) -> i64 {
    clip(nanoseconds) as i64
}

#[cfg(test)]
mod tests {
    use super::{Decision, Demand, Rental};
    use crate::{Class, Costs, Direction};
    use core::sync::atomic::AtomicU64;

    const GIB: u64 = 1 << 30;

    fn whole(region: u64) -> Demand {
        let class = Class::new(1, region);
        Demand { region, copied: region, direction: Direction::ToDevice, coming: 0, class }
    }

    /// The copy, before which a block is registered, of so many of it.
    fn registered_at(rental: &Rental, costs: &Costs, demand: &Demand, copies: usize) -> usize {
        let account = AtomicU64::new(0);
        let register = |_: &usize| rental.copy(costs, &account, demand) == Decision::Register;
        let found = (1..=copies).find(register);
        if found.is_some() {
            rental.registered(costs, &account, demand);
            (found.unwrap_or(0)..copies).for_each(|_| rental.hit(costs, &account, demand));
        }
        rental.end(costs, &account, demand.region, found.is_some());
        found.unwrap_or(0)
    }

    #[test]
    fn a_block_is_registered_when_its_losses_reach_the_price() {
        let (rental, costs) = (Rental::new(), Costs::new());
        assert_eq!(registered_at(&rental, &costs, &whole(GIB), 5), 2);
        let part = Demand { copied: GIB / 16, ..whole(GIB) };
        let at = registered_at(&rental, &costs, &part, 100);
        assert_eq!(
            at as u64,
            (costs.commitment(GIB) * 16).div_ceil(costs.saving(part.direction, GIB))
        );
    }

    #[test]
    fn a_class_that_is_used_again_is_registered_at_once() {
        let (rental, costs) = (Rental::new(), Costs::new());
        for _ in 0..3 {
            assert_eq!(registered_at(&rental, &costs, &whole(GIB), 5), 2);
        }
        assert_eq!(registered_at(&rental, &costs, &whole(GIB), 5), 1);
        for _ in 0..20 {
            registered_at(&rental, &costs, &whole(GIB), 1);
        }
        assert_eq!(registered_at(&rental, &costs, &whole(GIB), 1), 0, "and forgotten");
    }

    #[test]
    fn a_copy_that_is_certain_counts() {
        let (rental, costs) = (Rental::new(), Costs::new());
        let both = Demand { coming: GIB, ..whole(GIB) };
        assert_eq!(registered_at(&rental, &costs, &both, 2), 2, "nothing is known");
        assert_eq!(registered_at(&Rental::new(), &Costs::discrete(), &both, 2), 1);
        costs.observe_copy(Direction::ToDevice, false, GIB, 134_000_000);
        assert_eq!(registered_at(&rental, &costs, &both, 2), 1);
    }

    #[test]
    fn nothing_is_registered_where_nothing_is_saved() {
        let (rental, costs) = (Rental::new(), Costs::new());
        costs.observe_copy(Direction::ToHost, false, GIB, 10_000_000);
        assert_eq!(registered_at(&rental, &costs, &whole(GIB), 1000), 0);
    }

    #[test]
    fn what_is_in_use_stays_and_what_is_not_goes() {
        let (rental, costs, demand) = (Rental::new(), Costs::new(), whole(GIB));
        let (victim, other) = (AtomicU64::new(0), AtomicU64::new(0));
        // Whether a copy of the other one displaces the victim.
        let displaces = |_: u32| {
            let wants = rental.copy(&costs, &other, &demand) == Decision::Register;
            let displaces = wants && rental.yields(&costs, &victim, &other, GIB);
            if wants && !displaces {
                rental.refused(&costs, &other, &demand);
            }
            displaces
        };
        rental.registered(&costs, &victim, &demand);
        for round in 0..10 {
            rental.hit(&costs, &victim, &demand);
            assert!(!displaces(round));
        }
        assert_eq!(rental.idle(&victim), 1);
        assert!((0..4).any(displaces));
        assert!(rental.idle(&victim) > 1);
    }

    #[test]
    fn the_largest_numbers_do_no_harm() {
        let (rental, costs) = (Rental::new(), Costs::new());
        (0..5).for_each(|_| costs.observe_copy(Direction::ToDevice, false, 1 << 20, u64::MAX));
        let demand = Demand { coming: u64::MAX, ..whole(u64::MAX) };
        (0..5).for_each(|_| {
            registered_at(&rental, &costs, &demand, 3);
        });
    }

    #[test]
    fn threads_may_play_at_once() {
        let (rental, costs, account) = (Rental::new(), Costs::new(), AtomicU64::new(0));
        let demand = Demand { copied: 1 << 20, ..whole(GIB) };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    (0..1000).for_each(|_| {
                        let _ = rental.copy(&costs, &account, &demand);
                    });
                });
            }
        });
        // No loss of any thread is forgotten.
        assert_eq!(rental.copy(&costs, &account, &demand), Decision::Register);
    }
}
