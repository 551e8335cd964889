//! Copies of boxes: rows of bytes at regular distances ("Memory Management:
//! cuMemcpy2D, cuMemcpy3D").

use crate::copy::Copy;
use crate::space::{Place, Space};
use crate::status::{Outcome, Status};

/// One end of such a copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub(crate) place: Place,
    pub(crate) base: u64,
    /// Bytes from the beginning of a row, rows and slices to skip.
    pub(crate) skip: [u64; 3],
    /// Bytes from row to row.
    pub(crate) pitch: u64,
    /// Rows from slice to slice.
    pub(crate) height: u64,
}

impl Corner {
    /// The corner, with the pitch and height that 0 stands for.
    pub(crate) fn within(self, extent: [u64; 3]) -> Corner {
        let or = |value, default| if value == 0 { default } else { value };
        Corner { pitch: or(self.pitch, extent[0]), height: or(self.height, extent[1]), ..self }
    }

    fn row(&self, row: u64, slice: u64) -> Option<u64> {
        let rows =
            self.height.checked_mul(self.skip[2] + slice)?.checked_add(self.skip[1] + row)?;
        self.base.checked_add(rows.checked_mul(self.pitch)?)?.checked_add(self.skip[0])
    }
}

/// Plans a copy of `extent` bytes, rows and slices.
pub(crate) fn plan(space: &Space, to: Corner, from: Corner, extent: [u64; 3]) -> Outcome<Copy> {
    let (to, from) = (to.within(extent), from.within(extent));
    if to.pitch < extent[0] || from.pitch < extent[0] {
        return Err(Status::INVALID_VALUE);
    }
    let mut rows = Vec::new();
    for slice in 0..extent[2] {
        for row in 0..extent[1] {
            let (Some(target), Some(source)) = (to.row(row, slice), from.row(row, slice)) else {
                return Err(Status::INVALID_VALUE);
            };
            rows.push(Copy::plan(space, (target, to.place), (source, from.place), extent[0])?);
        }
    }
    Ok(Copy::join(rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::memory::Purpose;
    use crate::option::Options;

    #[test]
    fn a_box_is_copied_row_by_row() {
        let machine = Machine::new(Options { memory: 1 << 20, ..Options::default() }).unwrap();
        let source: Vec<u8> = (0..120).collect();
        let mut target = [0u8; 120];
        let device = machine.space.devices[0].allocate(60, 1, Purpose::Program, 0).unwrap();
        let corner = |place, base, skip, pitch, height| Corner { place, base, skip, pitch, height };
        // Of 2 slices of 6 rows of 10 bytes: 3 bytes of 2 rows of both.
        let host = corner(Place::Host, source.as_ptr() as u64, [4, 1, 0], 10, 6);
        let packed = corner(Place::Device, device, [0; 3], 0, 0);
        plan(&machine.space, packed, host, [3, 2, 2]).unwrap().run().unwrap();
        let back = corner(Place::Host, target.as_mut_ptr() as u64, [0; 3], 5, 0);
        plan(&machine.space, back, packed, [3, 2, 2]).unwrap().run().unwrap();
        assert_eq!(target[..5], [14, 15, 16, 0, 0]);
        assert_eq!(target[5..10], [24, 25, 26, 0, 0]);
        assert_eq!(target[10..15], [74, 75, 76, 0, 0]);
        let narrow = corner(Place::Device, device, [0; 3], 2, 0);
        let narrow = plan(&machine.space, narrow, host, [3, 2, 2]).map(drop);
        assert_eq!(narrow, Err(Status::INVALID_VALUE));
        let outside = plan(&machine.space, packed, host, [10, 6, 2]).map(drop);
        assert_eq!(outside, Err(Status::INVALID_VALUE));
    }
}
