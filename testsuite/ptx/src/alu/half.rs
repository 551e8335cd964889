//! Half-precision numbers (PTX ISA 5.2.2).

/// An IEEE 754 binary16, as its bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Half(pub(crate) u16);

const EXPONENT_BIAS: i32 = 15;
const FRACTION_BITS: i32 = 10;
const INFINITY: u16 = 0x7c00;
/// What the device gives for any NaN (PTX ISA 9.7.4).
const NAN: u16 = 0x7fff;

impl Half {
    /// The nearest half to `value`, ties to even. Exact from `f32`, and, as
    /// `f64` holds any sum and product of two halves, for those too.
    pub(crate) fn nearest(value: f64) -> Half {
        let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
        let magnitude = value.abs();
        if magnitude.is_nan() {
            return Half(NAN);
        }
        // The exponent of the result's last place; subnormals share one.
        let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - EXPONENT_BIAS);
        if exponent > EXPONENT_BIAS {
            return Half(sign | INFINITY);
        }
        let scaled = magnitude * f64::from(FRACTION_BITS - exponent).exp2();
        let significand = scaled.round_ties_even() as u16;
        // A significand without its leading bit is a subnormal; one that
        // rounding made too long carries into the exponent by itself.
        let biased = (exponent + EXPONENT_BIAS - 1) as u16;
        Half(sign | ((biased << FRACTION_BITS) + significand))
    }

    pub(crate) fn value(self) -> f64 {
        let exponent = i32::from(self.0 >> FRACTION_BITS & 0x1f);
        let fraction = f64::from(self.0 & 0x3ff);
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(1 - EXPONENT_BIAS - FRACTION_BITS),
            0x1f if fraction == 0.0 => f64::INFINITY,
            0x1f => f64::NAN,
            _ => (1024.0 + fraction) * 2f64.powi(exponent - EXPONENT_BIAS - FRACTION_BITS),
        };
        if self.0 & 0x8000 == 0 { magnitude } else { -magnitude }
    }
}

impl PartialEq for Half {
    fn eq(&self, other: &Half) -> bool {
        self.value() == other.value()
    }
}

impl PartialOrd for Half {
    fn partial_cmp(&self, other: &Half) -> Option<std::cmp::Ordering> {
        self.value().partial_cmp(&other.value())
    }
}
