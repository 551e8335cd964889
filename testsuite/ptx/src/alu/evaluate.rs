//! How an instruction without side effects computes.

use super::half::Half;

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// One register in all lanes.
pub(crate) type Lanes = [u64; LANES];

/// What an instruction computes from at most three sources: for one value,
/// and for all lanes of a warp at once.
pub(crate) struct Evaluate {
    pub(crate) scalar: fn(u64, u64, u64) -> u64,
    pub(crate) lanes: fn(&Lanes, &Lanes, &Lanes, &mut Lanes),
}

/// An instruction `d, a[, b[, c]]` without side effects.
#[derive(Clone, Copy)]
pub(crate) struct Compute {
    pub(crate) evaluate: &'static Evaluate,
    /// How many sources are written.
    pub(crate) sources: u8,
}

/// A native type that a register can hold.
pub(crate) trait Scalar: Copy + 'static {
    /// The value in the low bits of a register.
    fn read(register: u64) -> Self;
    /// The register that holds the value, with zeros above it.
    fn write(self) -> u64;
}

macro_rules! integer_scalars {
    ($($type:ident as $unsigned:ident),*) => {$(
        impl Scalar for $type {
            fn read(register: u64) -> Self {
                register as $type
            }
            fn write(self) -> u64 {
                self as $unsigned as u64
            }
        }
    )*};
}
integer_scalars!(i8 as u8, u8 as u8, i16 as u16, u16 as u16, i32 as u32, u32 as u32);
integer_scalars!(i64 as u64, u64 as u64);

impl Scalar for bool {
    fn read(register: u64) -> bool {
        register != 0
    }
    fn write(self) -> u64 {
        u64::from(self)
    }
}

impl Scalar for Half {
    fn read(register: u64) -> Half {
        Half(register as u16)
    }
    fn write(self) -> u64 {
        u64::from(self.0)
    }
}

impl Scalar for f32 {
    fn read(register: u64) -> f32 {
        f32::from_bits(register as u32)
    }
    fn write(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Scalar for f64 {
    fn read(register: u64) -> f64 {
        f64::from_bits(register)
    }
    fn write(self) -> u64 {
        self.to_bits()
    }
}

/// An instruction that computes `function(a)`.
pub(crate) fn unary<A: Scalar, R: Scalar>(
    function: impl Fn(A) -> R + Copy + 'static,
) -> Option<Compute> {
    Some(compute(1, move |a, _, _| function(A::read(a)).write()))
}

/// An instruction that computes `function(a, b)`.
pub(crate) fn binary<A: Scalar, B: Scalar, R: Scalar>(
    function: impl Fn(A, B) -> R + Copy + 'static,
) -> Option<Compute> {
    Some(compute(2, move |a, b, _| function(A::read(a), B::read(b)).write()))
}

/// An instruction that computes `function(a, b, c)`.
pub(crate) fn ternary<A: Scalar, B: Scalar, C: Scalar, R: Scalar>(
    function: impl Fn(A, B, C) -> R + Copy + 'static,
) -> Option<Compute> {
    Some(compute(3, move |a, b, c| function(A::read(a), B::read(b), C::read(c)).write()))
}

/// Turns a function without captured variables into two function pointers,
/// so that the compiler makes a vector loop of each instruction.
fn compute<F: Fn(u64, u64, u64) -> u64 + Copy + 'static>(sources: u8, _function: F) -> Compute {
    fn conjure<F: Copy>() -> F {
        const { assert!(size_of::<F>() == 0, "an instruction captures nothing") };
        // SAFETY: a value without bytes can be read from anywhere, and one of
        // this type exists: `compute` was given it.
        unsafe { std::ptr::NonNull::<F>::dangling().read() }
    }
    fn scalar<F: Fn(u64, u64, u64) -> u64 + Copy>(a: u64, b: u64, c: u64) -> u64 {
        conjure::<F>()(a, b, c)
    }
    fn lanes<F: Fn(u64, u64, u64) -> u64 + Copy>(a: &Lanes, b: &Lanes, c: &Lanes, d: &mut Lanes) {
        for lane in 0..LANES {
            d[lane] = conjure::<F>()(a[lane], b[lane], c[lane]);
        }
    }
    Compute { evaluate: const { &Evaluate { scalar: scalar::<F>, lanes: lanes::<F> } }, sources }
}
