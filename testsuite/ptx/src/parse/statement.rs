//! Instructions with their operands (PTX ISA 9).
//!
//! Vectors, lists and parts of parameters become several instructions here,
//! so that the interpreter knows scalars only.

use super::body::Body;
use super::cursor::{Cursor, Parsed};
use super::form::{Form, alignment, form};
use super::library;
use super::names::Meaning;
use super::operand::{Address, LIST};
use crate::alu::{self, Compute};
use crate::function::{Call, Parameter};
use crate::instruction::{Atomic, AtomicOperation, Instruction, Operation, Place, Register};
use crate::space::Space;
use crate::types::{Type, Width};

const ZERO: Register = Register::ZERO;

impl<'a> Body<'a, '_, '_> {
    /// The instruction `mnemonic`, from its operands to the semicolon.
    pub(super) fn instruction(&mut self, cursor: &mut Cursor<'a>, mnemonic: &'a str) -> Parsed<()> {
        let form = match self.module.forms.get(mnemonic) {
            Some(&form) => form,
            None => {
                let form = form(mnemonic)
                    .ok_or_else(|| cursor.flaw(format!("unknown instruction '{mnemonic}'")))?;
                self.module.forms.insert(mnemonic, form);
                form
            }
        };
        match form {
            Form::Compute { compute, result } => self.computing(cursor, compute, result)?,
            Form::Move { compute, type_, components } => {
                self.moving(cursor, compute, type_, components)?;
            }
            Form::LoadParameter { type_ } => self.load_parameter(cursor, type_)?,
            Form::StoreParameter { type_ } => self.store_parameter(cursor, type_)?,
            Form::Load { space, type_, components } => {
                self.load(cursor, space, type_, components)?;
            }
            Form::Store { space, type_, components } => {
                self.store(cursor, space, type_, components)?;
            }
            Form::Atomic { atomic, space, returns } => {
                self.atomic(cursor, atomic, space, returns)?;
            }
            Form::ConvertAddress { space, to } => self.convert_address(cursor, space, to)?,
            Form::Branch => {
                let label = cursor.name()?;
                self.branch(label);
            }
            Form::Call => self.call(cursor)?,
            Form::Barrier(barrier) => self.barrier(cursor, barrier)?,
            Form::Shuffle { mode, sync } => self.shuffle(cursor, mode, sync)?,
            Form::Vote { mode, sync } => self.vote(cursor, mode, sync)?,
            Form::IsSpace(space) => self.with_destination(cursor, Operation::IsSpace(space))?,
            Form::Alloca => self.alloca(cursor)?,
            Form::StackSave => {
                let destination = self.destination(cursor)?.register;
                let save = Instruction::new(Operation::StackSave);
                self.emit(Instruction { destination, ..save });
            }
            Form::StackRestore => self.with_source(cursor, Operation::StackRestore)?,
            Form::WarpBarrier => self.with_source(cursor, Operation::WarpBarrier)?,
            Form::Nanosleep => self.with_source(cursor, Operation::Sleep)?,
            Form::ActiveMask => {
                let destination = self.destination(cursor)?.register;
                let mask = Instruction::new(Operation::ActiveMask);
                self.emit(Instruction { destination, ..mask });
            }
            Form::Return => self.emit(Instruction::new(Operation::Return)),
            Form::Exit => self.emit(Instruction::new(Operation::Exit)),
            Form::Trap => self.emit(Instruction::new(Operation::Trap)),
            Form::Fence => self.emit(Instruction::new(Operation::Fence)),
        }
        cursor.expect(";")
    }

    /// `d, a` for `operation`.
    fn with_destination(&mut self, cursor: &mut Cursor<'a>, operation: Operation) -> Parsed<()> {
        let destination = self.destination(cursor)?.register;
        cursor.expect(",")?;
        let sources = [self.scalar(cursor)?, ZERO, ZERO];
        self.emit(Instruction { destination, sources, ..Instruction::new(operation) });
        Ok(())
    }

    /// `a` for `operation`.
    fn with_source(&mut self, cursor: &mut Cursor<'a>, operation: Operation) -> Parsed<()> {
        let sources = [self.scalar(cursor)?, ZERO, ZERO];
        self.emit(Instruction { sources, ..Instruction::new(operation) });
        Ok(())
    }

    fn computing(&mut self, cursor: &mut Cursor<'a>, compute: Compute, result: Type) -> Parsed<()> {
        let destination = self.destination(cursor)?;
        let mut sources = [ZERO; 3];
        for source in &mut sources[..usize::from(compute.sources)] {
            cursor.expect(",")?;
            *source = self.scalar(cursor)?;
        }
        self.compute(Some(compute), destination.register, sources);
        if result.is_signed() {
            let widen = alu::widen(result.width(), destination.type_.width());
            let register = destination.register;
            self.compute(widen, register, [register, ZERO, ZERO]);
        }
        Ok(())
    }

    fn load(
        &mut self,
        cursor: &mut Cursor<'a>,
        space: Space,
        type_: Type,
        components: u32,
    ) -> Parsed<()> {
        let (destinations, register_type) = self.destinations(cursor)?;
        cursor.expect(",")?;
        let mut address = self.address(cursor)?;
        let signed = type_.is_signed() && register_type.width() > type_.width();
        let signed = signed.then(|| register_type.width());
        let places = places(space, type_.width(), components, signed, address);
        if destinations.len() != places.len() {
            return Err(cursor.flaw(format!("{components} destinations are needed")));
        }
        if components > 1 && destinations.contains(&address.base) {
            let copy = self.fresh(cursor, 1)?;
            self.compute(alu::truncate(Width::Eight), copy, [address.base, ZERO, ZERO]);
            address.base = copy;
        }
        let word = library::reads_whole_words(&self.function.name);
        for (place, destination) in places.into_iter().zip(destinations) {
            let place = Place { word, ..place };
            let sources = [address.base, ZERO, ZERO];
            let load = Instruction::new(Operation::Load(place));
            self.emit(Instruction { destination, sources, ..load });
        }
        Ok(())
    }

    fn store(
        &mut self,
        cursor: &mut Cursor<'a>,
        space: Space,
        type_: Type,
        components: u32,
    ) -> Parsed<()> {
        let address = self.address(cursor)?;
        cursor.expect(",")?;
        let values = self.sources(cursor)?;
        let places = places(space, type_.width(), components, None, address);
        if values.len() != places.len() {
            return Err(cursor.flaw(format!("{components} sources are needed")));
        }
        for (place, value) in places.into_iter().zip(values) {
            let sources = [address.base, value, ZERO];
            self.emit(Instruction { sources, ..Instruction::new(Operation::Store(place)) });
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        cursor: &mut Cursor<'a>,
        atomic: Atomic,
        space: Space,
        returns: bool,
    ) -> Parsed<()> {
        let mut destination = Register::SINK;
        if returns {
            destination = self.destination(cursor)?.register;
            cursor.expect(",")?;
        }
        let address = self.address(cursor)?;
        cursor.expect(",")?;
        let mut sources = [address.base, self.scalar(cursor)?, ZERO];
        if atomic.operation == AtomicOperation::CompareAndSwap {
            cursor.expect(",")?;
            sources[2] = self.scalar(cursor)?;
        }
        for place in places(space, atomic.type_.width(), 1, None, address) {
            let operation = Operation::Atomic(atomic, place);
            self.emit(Instruction { destination, sources, ..Instruction::new(operation) });
        }
        Ok(())
    }

    /// `cvta` (PTX ISA 9.7.9.20).
    fn convert_address(&mut self, cursor: &mut Cursor<'a>, space: Space, to: bool) -> Parsed<()> {
        let destination = self.destination(cursor)?.register;
        cursor.expect(",")?;
        let source = self.scalar(cursor)?;
        let window = self.constant(space.window());
        let compute = alu::decode(&[if to { "sub" } else { "add" }, "u64"]);
        self.compute(compute, destination, [source, window, ZERO]);
        Ok(())
    }

    /// `alloca d, size[, alignment]` (PTX ISA 9.7.16.3).
    fn alloca(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let destination = self.destination(cursor)?.register;
        cursor.expect(",")?;
        let sources = [self.scalar(cursor)?, ZERO, ZERO];
        let alignment = if cursor.eat(",") { cursor.number()? } else { 8 };
        let alignment = u32::try_from(alignment)
            .ok()
            .filter(|alignment| alignment.is_power_of_two() && *alignment <= 1 << 12)
            .ok_or_else(|| cursor.flaw(format!("{alignment} is no alignment")))?;
        let alloca = Instruction::new(Operation::Alloca(alignment));
        self.emit(Instruction { destination, sources, ..alloca });
        Ok(())
    }

    /// `call [(result),] target[, (arguments)][, prototype]` (PTX ISA
    /// 9.7.12.5).
    fn call(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let mut result = None;
        if cursor.eat("(") {
            result = self.arguments(cursor)?.pop();
            cursor.expect(",")?;
        }
        let target = self.scalar(cursor)?;
        let mut arguments = Vec::new();
        while cursor.eat(",") {
            if cursor.eat("(") {
                arguments = self.arguments(cursor)?;
            } else {
                cursor.name()?;
            }
        }
        let number = self.function.calls.len() as u32;
        self.function.calls.push(Call { target, arguments, result });
        self.emit(Instruction::new(Operation::Call(number)));
        Ok(())
    }

    /// Names of parameters up to the closing parenthesis.
    fn arguments(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Vec<Parameter>> {
        let mut arguments = Vec::new();
        while !cursor.eat(")") {
            let name = cursor.name()?;
            match self.names.meaning(name) {
                Some(Meaning::Parameter(parameter)) => arguments.push(parameter),
                Some(Meaning::Register { first, type_, components: 1 }) => {
                    let size = type_.width().bytes() as u32;
                    arguments.push(Parameter { first, size, alignment: size });
                }
                _ => return Err(cursor.flaw(format!("no parameter '{name}'"))),
            }
            if cursor.peek() != ")" {
                cursor.expect(",")?;
            }
        }
        Ok(arguments)
    }
}

/// Where each component of a vector lies.
fn places(
    space: Space,
    width: Width,
    components: u32,
    signed: Option<Width>,
    address: Address,
) -> Vec<Place> {
    let step = width.bytes() as i32;
    let mut places = Vec::with_capacity(LIST);
    for component in 0..components {
        // The first access checks the alignment of the whole vector.
        let together = if component == 0 { components } else { 1 };
        places.push(Place {
            space,
            width,
            alignment: alignment(width, together),
            signed,
            offset: address.offset.wrapping_add(component as i32 * step),
            word: false,
        });
    }
    places
}
