//! `mov` and what moves parts of parameters (PTX ISA 9.7.9).

use super::body::Body;
use super::cursor::{Cursor, Parsed};
use crate::alu::{self, Compute};
use crate::instruction::{Instruction, Operation, Register, Special};
use crate::types::{Type, Width};

const ZERO: Register = Register::ZERO;

impl<'a> Body<'a, '_, '_> {
    /// `mov` (PTX ISA 9.7.9.3 and 9.7.9.4).
    pub(super) fn moving(
        &mut self,
        cursor: &mut Cursor<'a>,
        compute: Compute,
        type_: Type,
        components: u32,
    ) -> Parsed<()> {
        let (destinations, _) = self.destinations(cursor)?;
        cursor.expect(",")?;
        if let Some(special) = Special::named(cursor.peek()) {
            cursor.next();
            let instruction = Instruction::new(Operation::Special(special));
            self.emit(Instruction { destination: destinations[0], ..instruction });
            return Ok(());
        }
        if destinations.len() > 1 && components == 1 {
            return self.unpack(cursor, &destinations, type_);
        }
        let sources = self.sources(cursor)?;
        if sources.len() > 1 && components == 1 {
            return self.pack(cursor, destinations[0], &sources, type_);
        }
        let count = components as usize;
        if destinations.len() != count || sources.len() != count {
            return Err(cursor.flaw(format!("{count} operands are needed on each side")));
        }
        for (destination, source) in destinations.into_iter().zip(sources) {
            self.compute(Some(compute), destination, [source, ZERO, ZERO]);
        }
        Ok(())
    }

    /// `mov d, {a, b}`.
    fn pack(
        &mut self,
        cursor: &mut Cursor<'a>,
        destination: Register,
        sources: &[Register],
        type_: Type,
    ) -> Parsed<()> {
        match (type_.width(), sources) {
            (Width::Eight, &[a, b]) => {
                self.compute(alu::pack(Width::Four), destination, [a, b, ZERO]);
            }
            (Width::Four, &[a, b]) => {
                self.compute(alu::pack(Width::Two), destination, [a, b, ZERO]);
            }
            (Width::Eight, &[a, b, c, d]) => {
                let low = self.fresh(cursor, 2)?;
                let high = Register(low.0 + 1);
                self.compute(alu::pack(Width::Two), low, [a, b, ZERO]);
                self.compute(alu::pack(Width::Two), high, [c, d, ZERO]);
                self.compute(alu::pack(Width::Four), destination, [low, high, ZERO]);
            }
            _ => return Err(cursor.flaw("operands that cannot be packed")),
        }
        Ok(())
    }

    /// `mov {a, b}, s`.
    fn unpack(
        &mut self,
        cursor: &mut Cursor<'a>,
        destinations: &[Register],
        type_: Type,
    ) -> Parsed<()> {
        let source = self.scalar(cursor)?;
        let bits = type_.width().bits() / destinations.len() as u32;
        if bits < 8 || !bits.is_power_of_two() {
            return Err(cursor.flaw("operands that cannot be unpacked"));
        }
        // The source may be among the destinations.
        let copy = self.fresh(cursor, 1)?;
        self.compute(alu::truncate(type_.width()), copy, [source, ZERO, ZERO]);
        let length = self.constant(u64::from(bits));
        for (index, &destination) in destinations.iter().enumerate() {
            let start = self.constant(index as u64 * u64::from(bits));
            let extract = alu::decode(&["bfe", "u64"]);
            self.compute(extract, destination, [copy, start, length]);
        }
        Ok(())
    }

    /// `ld.param`.
    pub(super) fn load_parameter(&mut self, cursor: &mut Cursor<'a>, type_: Type) -> Parsed<()> {
        let destination = self.destination(cursor)?;
        cursor.expect(",")?;
        let width = type_.width();
        let (mut word, bit, _) = self.parameter_address(cursor, width.bytes())?;
        if bit != 0 {
            let start = self.constant(u64::from(bit));
            let shifted = self.fresh(cursor, 1)?;
            self.compute(alu::decode(&["shr", "u64"]), shifted, [word, start, ZERO]);
            word = shifted;
        }
        let widen = alu::widen(width, destination.type_.width()).filter(|_| type_.is_signed());
        let extend = widen.or_else(|| alu::truncate(width));
        self.compute(extend, destination.register, [word, ZERO, ZERO]);
        Ok(())
    }

    /// `st.param`.
    pub(super) fn store_parameter(&mut self, cursor: &mut Cursor<'a>, type_: Type) -> Parsed<()> {
        let width = type_.width();
        let (word, bit, parameter) = self.parameter_address(cursor, width.bytes())?;
        cursor.expect(",")?;
        let source = self.scalar(cursor)?;
        if width.bytes() == 8 || width.bytes() == parameter.size as usize {
            self.compute(alu::truncate(width), word, [source, ZERO, ZERO]);
            return Ok(());
        }
        let start = self.constant(u64::from(bit));
        let mask = self.constant(width.mask() << bit);
        let shifted = self.fresh(cursor, 1)?;
        self.compute(alu::decode(&["shl", "b64"]), shifted, [source, start, ZERO]);
        self.compute(alu::insert(), word, [word, shifted, mask]);
        Ok(())
    }
}
