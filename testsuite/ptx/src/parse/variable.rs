//! Declarations of variables (PTX ISA 5.4).

use super::cursor::{Cursor, Parsed};
use crate::function::{Initial, Linkage, Symbol, Variable};
use crate::space::Space;
use crate::types::Type;

/// Most bytes of a variable: more than any device has, and far from where
/// sums of addresses could overflow.
const LARGEST: u64 = 1 << 40;
/// Most bytes that an alignment can be.
const WIDEST: u64 = 1 << 20;

/// What stands between the space and the name of a variable, parameter or
/// register: alignment, vector size and type.
pub(super) struct Shape {
    pub(super) type_: Type,
    /// 1, or the size of a vector.
    pub(super) components: u32,
    pub(super) alignment: u64,
}

pub(super) fn shape(cursor: &mut Cursor<'_>) -> Parsed<Shape> {
    let mut components = 1;
    let mut alignment = 0;
    loop {
        match cursor.peek() {
            ".align" => {
                cursor.next();
                alignment = cursor.number()?;
                if !alignment.is_power_of_two() || alignment > WIDEST {
                    return Err(cursor.flaw(format!("{alignment} is no alignment")));
                }
            }
            ".v2" => {
                cursor.next();
                components = 2;
            }
            ".v4" => {
                cursor.next();
                components = 4;
            }
            // Where a kernel's pointer parameter points; the launch knows.
            ".ptr" => {
                cursor.next();
            }
            word => {
                let named = word.strip_prefix('.').and_then(Type::named);
                let type_ = named.ok_or_else(|| cursor.unexpected("a type"))?;
                cursor.next();
                let natural = type_.width().bytes() as u64 * u64::from(components);
                return Ok(Shape { type_, components, alignment: alignment.max(natural) });
            }
        }
    }
}

/// The sizes in brackets after a name, multiplied; 0 for `[]`.
pub(super) fn dimensions(cursor: &mut Cursor<'_>) -> Parsed<u64> {
    let mut count = 1u64;
    while cursor.eat("[") {
        let size = if cursor.peek() == "]" { 0 } else { cursor.number()? };
        cursor.expect("]")?;
        count = count
            .checked_mul(size)
            .filter(|&count| count <= LARGEST)
            .ok_or_else(|| cursor.flaw("a variable of this size does not fit"))?;
    }
    Ok(count)
}

/// A variable, from its space to the semicolon.
pub(super) fn variable(cursor: &mut Cursor<'_>, linkage: Linkage) -> Parsed<Variable> {
    let named = cursor.peek().strip_prefix('.').and_then(Space::named);
    let space = named.ok_or_else(|| cursor.unexpected("a state space"))?;
    cursor.next();
    let shape = shape(cursor)?;
    let name = cursor.name()?.to_owned();
    let count = dimensions(cursor)? * u64::from(shape.components);
    let element = shape.type_.width().bytes() as u64;
    let mut variable = Variable {
        name,
        space,
        linkage,
        alignment: shape.alignment,
        element,
        count,
        initial: Vec::new(),
    };
    if cursor.eat("=") {
        initialisers(cursor, &mut variable.initial)?;
    }
    let written = variable.initial.len() as u64;
    if count == 0 {
        variable.count = written;
    } else if written > count {
        return Err(cursor.flaw(format!("{written} values for {count} elements")));
    }
    cursor.expect(";")?;
    Ok(variable)
}

/// One initial value, or several in braces; inner braces only group.
fn initialisers(cursor: &mut Cursor<'_>, into: &mut Vec<Initial>) -> Parsed<()> {
    let mut depth = 0;
    loop {
        match cursor.peek() {
            "{" => {
                cursor.next();
                depth += 1;
                continue;
            }
            "}" if depth > 0 => {}
            _ => into.push(initial(cursor)?),
        }
        while depth > 0 && cursor.eat("}") {
            depth -= 1;
        }
        if depth == 0 {
            return Ok(());
        }
        if cursor.peek() != "}" {
            cursor.expect(",")?;
        }
    }
}

fn initial(cursor: &mut Cursor<'_>) -> Parsed<Initial> {
    if cursor.eat("-") {
        return Ok(Initial::Number(cursor.number()?.wrapping_neg()));
    }
    if cursor.peek().starts_with(|first: char| first.is_ascii_digit()) {
        return Ok(Initial::Number(cursor.number()?));
    }
    let line = cursor.line();
    let mut name = cursor.name()?;
    let generic = name == "generic" && cursor.eat("(");
    if generic {
        name = cursor.name()?;
        cursor.expect(")")?;
    }
    let displacement = cursor.displacement()?;
    Ok(Initial::Address(Symbol { name: name.to_owned(), displacement, generic, line }))
}
