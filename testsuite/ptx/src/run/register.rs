//! Registers of a warp.
//!
//! A register holds one value that all lanes share, or one for each lane.
//! GCC's OpenMP code has all lanes do the same, so that most instructions
//! are executed once for the warp.

use crate::alu::{LANES, Lanes};
use crate::instruction::{Guard, Register};

/// Lanes, one bit each.
pub(super) type Mask = u32;

/// The lanes of a mask, the lowest first.
pub(super) fn lanes(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < LANES as u32).then_some(lane as usize)
    })
}

/// Most registers of all frames of a warp, to stop an endless recursion.
const LARGEST: usize = 1 << 18;

/// The registers of all frames of a warp.
#[derive(Default)]
pub(super) struct RegisterFile {
    values: Vec<u64>,
    /// Whether the lanes differ, so that `lanes` counts and not `values`.
    varying: Vec<bool>,
    /// Which of `lanes` is a register's, once it has varied; 0 before.
    slots: Vec<u32>,
    lanes: Vec<Lanes>,
}

/// What a register holds.
#[expect(clippy::large_enum_variant, reason = "it only lives on the stack, between two registers")]
pub(super) enum Value {
    Uniform(u64),
    Varying(Lanes),
}

impl RegisterFile {
    /// Makes a frame of zeros; false if there is no room.
    pub(super) fn push(&mut self, base: usize, count: usize) -> bool {
        let end = base + count;
        if end > LARGEST {
            return false;
        }
        if end > self.values.len() {
            self.grow((2 * end).max(1024));
        }
        self.values[base..end].fill(0);
        self.varying[base..end].fill(false);
        true
    }

    /// Copies a register of one frame to one of another, both counted from
    /// the first frame's; of the latter, `present` are the lanes.
    pub(super) fn transfer(&mut self, from: usize, to: usize, active: Mask, present: Mask) {
        let value = self.window(from, 1).value(Register(0));
        self.window(to, 1).write(Register(0), &value, active, present);
    }

    fn grow(&mut self, size: usize) {
        self.values.resize(size, 0);
        self.varying.resize(size, false);
        self.slots.resize(size, 0);
        // Number 0 is nobody's.
        self.lanes.resize(self.lanes.len().max(1), [0; LANES]);
    }

    /// The registers of the frame at `base`.
    pub(super) fn window(&mut self, base: usize, count: usize) -> Window<'_> {
        let range = base..base + count;
        Window {
            values: &mut self.values[range.clone()],
            varying: &mut self.varying[range.clone()],
            slots: &mut self.slots[range],
            lanes: &mut self.lanes,
        }
    }
}

/// The registers of one frame.
///
/// What is written goes to the `active` lanes; `present` are those of the
/// frame, of which alone the others keep what they had.
pub(super) struct Window<'a> {
    values: &'a mut [u64],
    varying: &'a mut [bool],
    slots: &'a mut [u32],
    lanes: &'a mut Vec<Lanes>,
}

impl Window<'_> {
    /// The lanes of a register that varies.
    fn varied(&self, index: usize) -> &Lanes {
        &self.lanes[self.slots[index] as usize]
    }

    /// Makes a register vary; what its lanes hold is up to the caller.
    fn vary(&mut self, index: usize) -> &mut Lanes {
        self.varying[index] = true;
        if self.slots[index] == 0 {
            self.slots[index] = self.lanes.len() as u32;
            self.lanes.push([0; LANES]);
        }
        &mut self.lanes[self.slots[index] as usize]
    }

    /// The value, if all lanes share one.
    #[inline(always)]
    pub(super) fn uniform(&self, register: Register) -> Option<u64> {
        if self.varying[register.index()] { None } else { Some(self.values[register.index()]) }
    }

    /// The values, if each is shared by all lanes.
    #[inline(always)]
    pub(super) fn all_uniform(&self, [a, b, c]: [Register; 3]) -> Option<[u64; 3]> {
        let varying = self.varying[a.index()] | self.varying[b.index()] | self.varying[c.index()];
        if varying {
            return None;
        }
        Some([self.values[a.index()], self.values[b.index()], self.values[c.index()]])
    }

    #[inline(always)]
    pub(super) fn lane(&self, register: Register, lane: usize) -> u64 {
        let index = register.index();
        if self.varying[index] { self.varied(index)[lane] } else { self.values[index] }
    }

    /// All lanes' values, in place or in `scratch`.
    pub(super) fn read<'s>(&'s self, register: Register, scratch: &'s mut Lanes) -> &'s Lanes {
        let index = register.index();
        if self.varying[index] {
            return self.varied(index);
        }
        *scratch = [self.values[index]; LANES];
        scratch
    }

    pub(super) fn value(&self, register: Register) -> Value {
        let index = register.index();
        if self.varying[index] {
            Value::Varying(*self.varied(index))
        } else {
            Value::Uniform(self.values[index])
        }
    }

    /// Writes one value for all lanes of the frame.
    #[inline(always)]
    pub(super) fn write_uniform(&mut self, register: Register, value: u64) {
        self.values[register.index()] = value;
        self.varying[register.index()] = false;
    }

    /// Writes one value to the active lanes.
    #[inline(always)]
    pub(super) fn write_same(
        &mut self,
        register: Register,
        value: u64,
        active: Mask,
        present: Mask,
    ) {
        if active == present {
            self.write_uniform(register, value);
        } else {
            self.write_some(register, &[value; LANES], active);
        }
    }

    /// Writes each active lane's own value; a value that all lanes of the
    /// frame turn out to share is kept once.
    pub(super) fn write_lanes(
        &mut self,
        register: Register,
        values: &Lanes,
        active: Mask,
        present: Mask,
    ) {
        if active != present {
            return self.write_some(register, values, active);
        }
        let first = values[active.trailing_zeros() as usize % LANES];
        let differ = if active == Mask::MAX {
            values.iter().fold(0, |differ, value| differ | (value ^ first))
        } else {
            lanes(active).fold(0, |differ, lane| differ | (values[lane] ^ first))
        };
        if differ == 0 {
            return self.write_uniform(register, first);
        }
        *self.vary(register.index()) = *values;
    }

    pub(super) fn write(&mut self, register: Register, value: &Value, active: Mask, present: Mask) {
        match value {
            Value::Uniform(value) => self.write_same(register, *value, active, present),
            Value::Varying(values) => self.write_lanes(register, values, active, present),
        }
    }

    #[cold]
    fn write_some(&mut self, register: Register, values: &Lanes, active: Mask) {
        let index = register.index();
        let uniform = (!self.varying[index]).then_some(self.values[index]);
        let own = self.vary(index);
        if let Some(value) = uniform {
            *own = [value; LANES];
        }
        for lane in lanes(active) {
            own[lane] = values[lane];
        }
    }

    /// The lanes of `mask` where a predicate holds.
    pub(super) fn holds(&self, predicate: Register, mask: Mask) -> Mask {
        match self.uniform(predicate) {
            Some(0) => 0,
            Some(_) => mask,
            None => {
                let values = self.varied(predicate.index());
                lanes(mask).filter(|&lane| values[lane] != 0).fold(0, |all, lane| all | 1 << lane)
            }
        }
    }

    /// The lanes of `mask` that a guard lets execute.
    #[inline(always)]
    pub(super) fn guarded(&self, guard: Guard, mask: Mask) -> Mask {
        if guard.is_always() {
            return mask;
        }
        let holds = self.holds(guard.predicate(), mask);
        if guard.negated() { mask & !holds } else { holds }
    }
}
