//! Functions and variables of one object.

use crate::instruction::{Instruction, Operation, Register};
use crate::space::Space;

/// A kernel or device function (PTX ISA 11.1).
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) is_entry: bool,
    pub(crate) linkage: Linkage,
    /// Number of its object in the program.
    pub(crate) object: usize,
    pub(crate) code: Vec<Instruction>,
    /// Line of each instruction in the PTX text.
    pub(crate) lines: Vec<u32>,
    /// `.loc` directives, by position in the code.
    pub(crate) locations: Vec<Location>,
    /// Registers of a frame, constants included.
    pub(crate) registers: u32,
    /// Registers that the text declares.
    pub(crate) declared: u32,
    pub(crate) constants: Vec<(Register, u64)>,
    /// Registers that linking gives the address of a symbol.
    pub(crate) symbols: Vec<(Register, Symbol)>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) result: Option<Parameter>,
    pub(crate) calls: Vec<Call>,
    /// `.local` variables: offset in the frame and size of each.
    pub(crate) locals: Vec<(u32, u32)>,
    /// Bytes of the local frame.
    pub(crate) local_size: u32,
}

impl Function {
    pub(crate) fn new(name: &str, is_entry: bool, linkage: Linkage) -> Function {
        Function {
            name: name.to_owned(),
            is_entry,
            linkage,
            object: 0,
            code: Vec::new(),
            lines: Vec::new(),
            locations: Vec::new(),
            registers: 2,
            declared: 0,
            constants: Vec::new(),
            symbols: Vec::new(),
            parameters: Vec::new(),
            result: None,
            calls: Vec::new(),
            locals: Vec::new(),
            local_size: 0,
        }
    }

    /// The first of `count` new registers.
    pub(crate) fn fresh(&mut self, count: u32) -> Register {
        let first = Register(self.registers);
        self.registers += count;
        first
    }

    pub(crate) fn emit(&mut self, instruction: Instruction, line: u32) {
        self.code.push(instruction);
        self.lines.push(line);
    }

    /// Ends the code, also for a text that runs off its end.
    pub(crate) fn finish(&mut self, line: u32) {
        self.emit(Instruction::new(Operation::Return), line);
    }

    /// The `.loc` in force at an instruction.
    pub(crate) fn location(&self, pc: u32) -> Option<Location> {
        let after = self.locations.partition_point(|location| location.pc <= pc);
        after.checked_sub(1).map(|index| self.locations[index])
    }
}

/// A place in the source (PTX ISA 11.5.3).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    /// First instruction that it is of.
    pub(crate) pc: u32,
    /// Number of the `.file`.
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// A parameter or result of a function, or the space for one at a call
/// (PTX ISA 5.1.6): registers of 8 bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) first: Register,
    pub(crate) size: u32,
    pub(crate) alignment: u32,
}

impl Parameter {
    /// Registers that the bytes take.
    pub(crate) fn words(&self) -> u32 {
        self.size.div_ceil(8)
    }

    /// Those registers.
    pub(crate) fn registers(&self) -> impl Iterator<Item = Register> + use<> {
        (self.first.0..self.first.0 + self.words()).map(Register)
    }
}

/// One `call` (PTX ISA 9.7.12.5).
pub(crate) struct Call {
    /// Holds the address of the function.
    pub(crate) target: Register,
    pub(crate) arguments: Vec<Parameter>,
    pub(crate) result: Option<Parameter>,
}

/// The address of a name plus a displacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) displacement: i64,
    /// Whether the generic address is meant, whatever the variable's space.
    pub(crate) generic: bool,
    pub(crate) line: u32,
}

/// Who sees a name (PTX ISA 11.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// Only the object.
    Internal,
    /// `.extern`: another object defines it.
    External,
    /// `.visible`.
    Visible,
    /// `.weak` or `.common`: a `.visible` one takes precedence.
    Weak,
}

/// A variable (PTX ISA 5.4).
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) linkage: Linkage,
    pub(crate) alignment: u64,
    /// Bytes of an element.
    pub(crate) element: u64,
    /// Elements; 0 for an array without size.
    pub(crate) count: u64,
    pub(crate) initial: Vec<Initial>,
}

impl Variable {
    pub(crate) fn size(&self) -> u64 {
        self.element * self.count
    }
}

/// Initial value of an element.
pub(crate) enum Initial {
    Number(u64),
    Address(Symbol),
}

/// `.alias name, target;` (PTX ISA 11.5.1).
pub(crate) struct Alias {
    pub(crate) name: String,
    pub(crate) target: String,
    pub(crate) line: u32,
}
