//! Operands (PTX ISA 6).

use super::body::Body;
use super::cursor::{Cursor, Parsed};
use super::names::Meaning;
use crate::alu;
use crate::function::{Parameter, Symbol};
use crate::instruction::{Instruction, Operation, Register, Special};
use crate::types::Type;

/// Most elements of a list in braces.
pub(super) const LIST: usize = 4;

/// A source: constants and addresses are in registers too.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) register: Register,
    /// More than 1 for a vector.
    pub(super) components: u32,
}

impl Source {
    fn scalar(register: Register) -> Source {
        Source { register, components: 1 }
    }
}

/// A register that an instruction writes.
#[derive(Clone, Copy)]
pub(super) struct Destination {
    pub(super) register: Register,
    pub(super) type_: Type,
    pub(super) components: u32,
}

/// `[register + offset]`.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub(super) base: Register,
    pub(super) offset: i32,
}

impl<'a> Body<'a, '_, '_> {
    /// A register, constant, special register or symbol.
    pub(super) fn source(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Source> {
        if cursor.eat("-") {
            let value = cursor.number()?.wrapping_neg();
            return Ok(Source::scalar(self.constant(value)));
        }
        if cursor.peek().starts_with(|first: char| first.is_ascii_digit()) {
            let value = cursor.number()?;
            return Ok(Source::scalar(self.constant(value)));
        }
        if cursor.eat("!") {
            let predicate = self.source(cursor)?.register;
            let negated = self.fresh(cursor, 1)?;
            let not = alu::decode(&["not", "pred"]);
            self.compute(not, negated, [predicate, Register::ZERO, Register::ZERO]);
            return Ok(Source::scalar(negated));
        }
        let line = cursor.line();
        let name = cursor.name()?;
        if let Some((register, _, components)) = self.register(name) {
            return Ok(Source { register, components });
        }
        match self.names.meaning(name) {
            Some(Meaning::Local(offset)) => {
                let displacement = cursor.displacement()?;
                let offset = u32::try_from(i64::from(offset).wrapping_add(displacement))
                    .map_err(|_| cursor.flaw(format!("address outside of '{name}'")))?;
                return self.evaluated(cursor, Operation::LocalAddress(offset));
            }
            Some(_) => return Err(cursor.flaw(format!("the address of parameter '{name}'"))),
            None => {}
        }
        if let Some(special) = Special::named(name) {
            return self.evaluated(cursor, Operation::Special(special));
        }
        if name.starts_with('%') {
            return Err(cursor.flaw(format!("no register '{name}'")));
        }
        let displacement = cursor.displacement()?;
        let name = name.to_owned();
        let register = self.symbol(Symbol { name, displacement, generic: false, line });
        Ok(Source::scalar(register))
    }

    /// A register with what `operation`, which has no sources, gives.
    fn evaluated(&mut self, cursor: &Cursor<'a>, operation: Operation) -> Parsed<Source> {
        let destination = self.fresh(cursor, 1)?;
        let instruction = Instruction { destination, ..Instruction::new(operation) };
        // No guard: a value that all lanes hold is cheaper to read.
        self.function.emit(instruction, self.line);
        Ok(Source::scalar(destination))
    }

    /// A source that is no vector.
    pub(super) fn scalar(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Register> {
        Ok(self.source(cursor)?.register)
    }

    /// The register called `name`, or the component `name.x` of a vector.
    fn register(&self, name: &str) -> Option<(Register, Type, u32)> {
        if let Some(Meaning::Register { first, type_, components }) = self.names.meaning(name) {
            return Some((first, type_, components));
        }
        let (vector, component) = name.rsplit_once('.')?;
        let index = match component {
            "x" | "r" => 0,
            "y" | "g" => 1,
            "z" | "b" => 2,
            "w" | "a" => 3,
            _ => return None,
        };
        match self.names.meaning(vector)? {
            Meaning::Register { first, type_, components } if index < components => {
                Some((Register(first.0 + index), type_, 1))
            }
            _ => None,
        }
    }

    /// A register to write, or `_` for none.
    pub(super) fn destination(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Destination> {
        if cursor.eat("_") {
            return Ok(Destination { register: Register::SINK, type_: Type::B64, components: 1 });
        }
        self.declared(cursor)
    }

    /// A register that the text declares.
    pub(super) fn declared(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Destination> {
        let name = cursor.name()?;
        match self.register(name) {
            Some((register, type_, components)) => Ok(Destination { register, type_, components }),
            None => Err(cursor.flaw(format!("no register '{name}'"))),
        }
    }

    /// What is between braces, or the components of a vector.
    pub(super) fn sources(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Vec<Register>> {
        if !cursor.eat("{") {
            let source = self.source(cursor)?;
            return Ok(components(source.register, source.components));
        }
        let mut list = Vec::with_capacity(LIST);
        loop {
            list.push(self.scalar(cursor)?);
            if !more(cursor, list.len())? {
                return Ok(list);
            }
        }
    }

    /// The same of destinations, with the type of the registers.
    pub(super) fn destinations(
        &mut self,
        cursor: &mut Cursor<'a>,
    ) -> Parsed<(Vec<Register>, Type)> {
        if !cursor.eat("{") {
            let destination = self.destination(cursor)?;
            let list = components(destination.register, destination.components);
            return Ok((list, destination.type_));
        }
        let mut list = Vec::with_capacity(LIST);
        loop {
            let destination = self.destination(cursor)?;
            list.push(destination.register);
            if !more(cursor, list.len())? {
                return Ok((list, destination.type_));
            }
        }
    }

    /// `[register + offset]` or `[symbol + offset]`.
    pub(super) fn address(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Address> {
        cursor.expect("[")?;
        let base = self.scalar(cursor)?;
        let displacement = cursor.displacement()?;
        let offset = i32::try_from(displacement)
            .map_err(|_| cursor.flaw(format!("displacement {displacement} is too far")))?;
        cursor.expect("]")?;
        Ok(Address { base, offset })
    }

    /// `[parameter + offset]` for an access of `size` bytes: the register
    /// that holds them, and the bit that they start at.
    pub(super) fn parameter_address(
        &mut self,
        cursor: &mut Cursor<'a>,
        size: usize,
    ) -> Parsed<(Register, u32, Parameter)> {
        cursor.expect("[")?;
        let name = cursor.name()?;
        let Some(Meaning::Parameter(parameter)) = self.names.meaning(name) else {
            return Err(cursor.flaw(format!("no parameter '{name}'")));
        };
        let offset = cursor.displacement()?;
        cursor.expect("]")?;
        let offset = u32::try_from(offset)
            .ok()
            .filter(|offset| u64::from(*offset) + size as u64 <= u64::from(parameter.size))
            .filter(|offset| (*offset as usize).is_multiple_of(size))
            .ok_or_else(|| cursor.flaw(format!("no {size} bytes at '{name}' + {offset}")))?;
        Ok((Register(parameter.first.0 + offset / 8), offset % 8 * 8, parameter))
    }
}

fn components(first: Register, count: u32) -> Vec<Register> {
    (first.0..first.0 + count).map(Register).collect()
}

/// Whether a list goes on behind its element number `length`.
fn more(cursor: &mut Cursor<'_>, length: usize) -> Parsed<bool> {
    if cursor.eat("}") {
        return Ok(false);
    }
    if length == LIST {
        return Err(cursor.flaw("a vector of more than 4"));
    }
    cursor.expect(",")?;
    Ok(true)
}
