//! The body of a function: its blocks, declarations and labels.

use std::collections::HashMap;

use super::Module;
use super::cursor::{Cursor, Flaw, Parsed};
use super::names::{Meaning, Names};
use super::variable::{dimensions, shape, variable};
use crate::alu::Compute;
use crate::function::{Function, Linkage, Location, Parameter, Symbol};
use crate::instruction::{Guard, Instruction, Operation, Register};

/// Most registers of a function, and most bytes of its local variables and
/// parameters: what a text may claim by one short line.
const LARGEST: u64 = 1 << 20;
/// Bytes kept free before each local variable.
const LOCAL_GAP: u64 = 16;

/// A function while its text is read.
pub(super) struct Body<'a, 'm, 'o> {
    pub(super) function: Function,
    pub(super) module: &'m mut Module<'a, 'o>,
    pub(super) names: Names<'a>,
    /// Guard of the instruction being read.
    pub(super) guard: Guard,
    /// Line of that instruction.
    pub(super) line: u32,
    labels: HashMap<&'a str, u32>,
    /// `bra` instructions: position, label and line.
    branches: Vec<(usize, &'a str, u32)>,
    constants: HashMap<u64, Register>,
}

impl<'a, 'm, 'o> Body<'a, 'm, 'o> {
    pub(super) fn new(function: Function, module: &'m mut Module<'a, 'o>) -> Body<'a, 'm, 'o> {
        Body {
            function,
            module,
            names: Names::default(),
            guard: Guard::ALWAYS,
            line: 0,
            labels: HashMap::new(),
            branches: Vec::new(),
            constants: HashMap::from([(0, Register::ZERO)]),
        }
    }

    /// The parameters up to the closing parenthesis (PTX ISA 5.1.6).
    pub(super) fn parameters(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Vec<Parameter>> {
        let mut parameters = Vec::new();
        while !cursor.eat(")") {
            if !cursor.eat(".param") && !cursor.eat(".reg") {
                return Err(cursor.unexpected("'.param'"));
            }
            parameters.push(self.parameter(cursor)?);
            if cursor.peek() != ")" {
                cursor.expect(",")?;
            }
        }
        Ok(parameters)
    }

    fn parameter(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Parameter> {
        let shape = shape(cursor)?;
        let name = cursor.name()?;
        let family = self.family(cursor)?;
        let element = shape.type_.width().bytes() as u64 * u64::from(shape.components);
        let size = dimensions(cursor)?.saturating_mul(element);
        if size == 0 || size > LARGEST {
            return Err(cursor.flaw(format!("parameter '{name}' of {size} bytes")));
        }
        let size = size as u32;
        let first = Register(self.function.registers);
        let parameter = Parameter { first, size, alignment: shape.alignment as u32 };
        self.declare(cursor, name, Meaning::Parameter(parameter), family)?;
        Ok(parameter)
    }

    /// `<count>` behind a name.
    fn family(&mut self, cursor: &mut Cursor<'a>) -> Parsed<Option<u32>> {
        if !cursor.eat("<") {
            return Ok(None);
        }
        let count = cursor.number()?.min(LARGEST + 1) as u32;
        cursor.expect(">")?;
        Ok(Some(count))
    }

    /// Declares a name, or as many as `family` says, for the next registers.
    fn declare(
        &mut self,
        cursor: &Cursor<'a>,
        name: &'a str,
        first: Meaning,
        family: Option<u32>,
    ) -> Parsed<()> {
        let count = u64::from(family.unwrap_or(1)) * u64::from(first.registers());
        self.fresh(cursor, count.min(LARGEST + 1) as u32)?;
        match family {
            None => self.names.declare(name, first),
            Some(count) => self.names.declare_family(name, first, count),
        }
        Ok(())
    }

    /// Reads the body behind its opening brace.
    pub(super) fn finish(mut self, cursor: &mut Cursor<'a>) -> Parsed<Function> {
        self.names.open_block();
        while self.names.in_block() {
            self.statement(cursor)?;
        }
        for (position, label, line) in self.branches {
            let Some(&target) = self.labels.get(label) else {
                return Err(Flaw { line, reason: format!("no label '{label}'") });
            };
            self.function.code[position].operation = Operation::Branch(target);
        }
        self.function.finish(cursor.line());
        Ok(self.function)
    }

    fn statement(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        match cursor.peek() {
            "{" => {
                cursor.next();
                self.names.open_block();
            }
            "}" => {
                cursor.next();
                self.names.close_block();
            }
            ";" => {
                cursor.next();
            }
            ".reg" => self.registers(cursor)?,
            ".param" => {
                cursor.next();
                self.parameter(cursor)?;
                cursor.expect(";")?;
            }
            ".local" => self.local(cursor)?,
            ".shared" | ".global" | ".const" => {
                let variable = variable(cursor, Linkage::Internal)?;
                self.module.object.variables.push(variable);
            }
            ".loc" => self.location(cursor)?,
            // A prototype says what the arguments of its call say too.
            ".callprototype" | ".pragma" => cursor.skip_past(";")?,
            "@" => self.guarded(cursor)?,
            _ => {
                self.line = cursor.line();
                let word = cursor.name()?;
                if cursor.eat(":") {
                    self.labels.insert(word, self.function.code.len() as u32);
                } else {
                    self.guard = Guard::ALWAYS;
                    self.instruction(cursor, word)?;
                }
            }
        }
        Ok(())
    }

    /// An instruction behind `@p` or `@!p`.
    fn guarded(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        cursor.next();
        let negated = cursor.eat("!");
        let predicate = self.declared(cursor)?.register;
        self.line = cursor.line();
        self.guard = Guard::new(predicate, negated);
        let mnemonic = cursor.name()?;
        self.instruction(cursor, mnemonic)
    }

    /// `.reg` (PTX ISA 5.1.1).
    fn registers(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        cursor.next();
        let shape = shape(cursor)?;
        let (type_, components) = (shape.type_, shape.components);
        loop {
            let name = cursor.name()?;
            let family = self.family(cursor)?;
            let first = Register(self.function.registers);
            let meaning = Meaning::Register { first, type_, components };
            self.declare(cursor, name, meaning, family)?;
            self.function.declared += family.unwrap_or(1);
            if !cursor.eat(",") {
                return cursor.expect(";");
            }
        }
    }

    /// `.local`: a place in each lane's frame.
    fn local(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        let line = cursor.line();
        // The name outlives the variable, which only says how large it is.
        let mut ahead = cursor.clone();
        ahead.next();
        shape(&mut ahead)?;
        let name = ahead.name()?;
        let variable = variable(cursor, Linkage::Internal)?;
        // A gap, so that an overrun is no access to the next variable.
        let start =
            (u64::from(self.function.local_size) + LOCAL_GAP).next_multiple_of(variable.alignment);
        let end = start + variable.size();
        if end > LARGEST {
            return Err(Flaw { line, reason: format!("no room for local variable '{name}'") });
        }
        self.function.locals.push((start as u32, variable.size() as u32));
        self.function.local_size = end as u32;
        self.names.declare(name, Meaning::Local(start as u32));
        Ok(())
    }

    /// `.loc` (PTX ISA 11.5.3).
    fn location(&mut self, cursor: &mut Cursor<'a>) -> Parsed<()> {
        cursor.next();
        let file = cursor.number()? as u32;
        let line = cursor.number()? as u32;
        cursor.number()?;
        if cursor.eat(",") {
            cursor.expect("function_name")?;
            cursor.name()?;
            cursor.displacement()?;
            cursor.expect(",")?;
            cursor.expect("inlined_at")?;
            for _ in 0..3 {
                cursor.number()?;
            }
        }
        let pc = self.function.code.len() as u32;
        self.function.locations.push(Location { pc, file, line });
        Ok(())
    }

    /// Registers for the parser's own use.
    pub(super) fn fresh(&mut self, cursor: &Cursor<'a>, count: u32) -> Parsed<Register> {
        if u64::from(self.function.registers) + u64::from(count) > LARGEST {
            return Err(cursor.flaw("too many registers"));
        }
        Ok(self.function.fresh(count))
    }

    /// The register that holds `value` in every frame.
    pub(super) fn constant(&mut self, value: u64) -> Register {
        *self.constants.entry(value).or_insert_with(|| {
            let register = self.function.fresh(1);
            self.function.constants.push((register, value));
            register
        })
    }

    /// The register that linking fills with the address of `symbol`.
    pub(super) fn symbol(&mut self, symbol: Symbol) -> Register {
        let same = |known: &&(Register, Symbol)| {
            known.1.name == symbol.name && known.1.displacement == symbol.displacement
        };
        // The latest ones: within a few lines the same symbol comes again.
        if let Some((register, _)) = self.function.symbols.iter().rev().take(8).find(same) {
            return *register;
        }
        let register = self.function.fresh(1);
        self.function.symbols.push((register, symbol));
        register
    }

    /// Emits an instruction under the guard of the one being read.
    pub(super) fn emit(&mut self, mut instruction: Instruction) {
        instruction.guard = self.guard;
        self.function.emit(instruction, self.line);
    }

    pub(super) fn compute(
        &mut self,
        compute: Option<Compute>,
        destination: Register,
        sources: [Register; 3],
    ) {
        if let Some(compute) = compute {
            let operation = Operation::Compute(compute.evaluate);
            self.emit(Instruction { operation, guard: self.guard, destination, sources });
        }
    }

    pub(super) fn branch(&mut self, label: &'a str) {
        self.branches.push((self.function.code.len(), label, self.line));
        self.emit(Instruction::new(Operation::Branch(0)));
    }
}
