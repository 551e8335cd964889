//! Values of special registers (PTX ISA 10).

use std::time::{SystemTime, UNIX_EPOCH};

use super::launch::Launch;
use super::register::Value;
use crate::alu::{LANES, Lanes};
use crate::instruction::Special;
use crate::shared::Layout;

/// What special registers tell about.
pub(super) struct Context<'a> {
    pub(super) launch: &'a Launch,
    pub(super) shared: &'a Layout,
    pub(super) cta: [u32; 3],
    pub(super) warp: u32,
    pub(super) threads: &'a [Lanes; 3],
    /// Instructions that the warp has executed.
    pub(super) instructions: u64,
}

impl Context<'_> {
    pub(super) fn value(&self, special: Special) -> Value {
        let [threads_x, threads_y, threads_z] = self.launch.block;
        let [ctas_x, ctas_y, ctas_z] = self.launch.grid;
        let [cta_x, cta_y, cta_z] = self.cta;
        let dynamic = self.launch.shared;
        let number = match special {
            Special::ThreadX => return Value::Varying(self.threads[0]),
            Special::ThreadY => return Value::Varying(self.threads[1]),
            Special::ThreadZ => return Value::Varying(self.threads[2]),
            Special::Lane => return by_lane(|lane| lane),
            Special::LaneMaskEqual => return by_lane(|lane| 1 << lane),
            Special::LaneMaskLess => return by_lane(|lane| (1 << lane) - 1),
            Special::LaneMaskLessEqual => return by_lane(|lane| (2 << lane) - 1),
            Special::LaneMaskGreater => return by_lane(|lane| 0xffff_fffe << lane),
            Special::LaneMaskGreaterEqual => return by_lane(|lane| 0xffff_ffff << lane),
            Special::ThreadsX => threads_x,
            Special::ThreadsY => threads_y,
            Special::ThreadsZ => threads_z,
            Special::CtaX => cta_x,
            Special::CtaY => cta_y,
            Special::CtaZ => cta_z,
            Special::CtasX => ctas_x,
            Special::CtasY => ctas_y,
            Special::CtasZ => ctas_z,
            Special::Warp => self.warp,
            Special::Warps => (threads_x * threads_y * threads_z).div_ceil(LANES as u32),
            Special::Multiprocessor | Special::Grid => 0,
            Special::Multiprocessors => 1,
            Special::WarpSize => LANES as u32,
            Special::DynamicShared => dynamic,
            Special::TotalShared => self.shared.total(dynamic) as u32,
            Special::Clock => self.instructions as u32,
            Special::Clock64 => return Value::Uniform(self.instructions),
            Special::GlobalTimer => return Value::Uniform(nanoseconds()),
        };
        Value::Uniform(u64::from(number))
    }
}

fn by_lane(value: impl Fn(u64) -> u64) -> Value {
    Value::Varying(std::array::from_fn(|lane| value(lane as u64) & 0xffff_ffff))
}

fn nanoseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |duration| duration.as_nanos() as u64)
}
