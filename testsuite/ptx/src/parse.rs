//! From PTX text to [`Object`]: directives here, statements of functions in
//! [`body`].

mod body;
mod collective;
mod cursor;
mod form;
mod lexer;
mod library;
mod movement;
mod names;
mod operand;
mod statement;
mod variable;

use std::collections::HashMap;

use crate::function::{Alias, Function, Linkage};
use crate::object::Object;
use body::Body;
use cursor::{Cursor, Parsed};
use form::Form;

/// What the functions of a text share.
struct Module<'a, 'o> {
    object: &'o mut Object,
    /// The mnemonics met so far, a few dozen in any text.
    forms: HashMap<&'a str, Form>,
}

/// Parses all directives of a module (PTX ISA 11) into `object`.
pub(crate) fn module(text: &str, object: &mut Object) -> Parsed<()> {
    let mut cursor = Cursor::new(text);
    let cursor = &mut cursor;
    let mut module = Module { object, forms: HashMap::new() };
    while !cursor.at_end() {
        match cursor.peek() {
            ".version" | ".address_size" => {
                cursor.next();
                if !cursor.next().starts_with(|first: char| first.is_ascii_digit()) {
                    return Err(cursor.unexpected("a number"));
                }
            }
            ".target" => {
                cursor.next();
                cursor.name()?;
                while cursor.eat(",") {
                    cursor.name()?;
                }
            }
            ".file" => module.object.files.push(file(cursor)?),
            ".section" => section(cursor)?,
            ".alias" => module.object.aliases.push(alias(cursor)?),
            _ => definition(cursor, &mut module)?,
        }
    }
    Ok(())
}

/// `.file NUMBER "PATH"[, TIME, SIZE]` (PTX ISA 11.5.1).
fn file(cursor: &mut Cursor<'_>) -> Parsed<(u32, String)> {
    cursor.next();
    let number = cursor.number()? as u32;
    if !cursor.peek().starts_with('"') {
        return Err(cursor.unexpected("a path"));
    }
    let path = cursor.next().trim_matches('"').to_owned();
    while cursor.eat(",") {
        cursor.number()?;
    }
    Ok((number, path))
}

/// Debugging data, which nobody here reads.
fn section(cursor: &mut Cursor<'_>) -> Parsed<()> {
    cursor.skip_past("{")?;
    cursor.skip_past("}")
}

fn alias(cursor: &mut Cursor<'_>) -> Parsed<Alias> {
    let line = cursor.line();
    cursor.next();
    let name = cursor.name()?.to_owned();
    cursor.expect(",")?;
    let target = cursor.name()?.to_owned();
    cursor.expect(";")?;
    Ok(Alias { name, target, line })
}

/// A function or variable with what says who sees it.
fn definition<'a>(cursor: &mut Cursor<'a>, module: &mut Module<'a, '_>) -> Parsed<()> {
    let mut linkage = Linkage::Internal;
    loop {
        linkage = match cursor.peek() {
            ".visible" => Linkage::Visible,
            ".weak" | ".common" => Linkage::Weak,
            ".extern" => Linkage::External,
            _ => break,
        };
        cursor.next();
    }
    match cursor.peek() {
        ".func" | ".entry" => {
            let is_entry = cursor.next() == ".entry";
            function(cursor, module, is_entry, linkage)
        }
        ".global" | ".shared" | ".const" => {
            module.object.variables.push(variable::variable(cursor, linkage)?);
            Ok(())
        }
        _ => Err(cursor.unexpected("a directive")),
    }
}

/// A function with its body, or without one if it only is declared.
fn function<'a>(
    cursor: &mut Cursor<'a>,
    module: &mut Module<'a, '_>,
    is_entry: bool,
    linkage: Linkage,
) -> Parsed<()> {
    cursor.eat(".noreturn");
    let mut body = Body::new(Function::new("", is_entry, linkage), module);
    if cursor.eat("(") {
        body.function.result = body.parameters(cursor)?.pop();
    }
    body.function.name = cursor.name()?.to_owned();
    if cursor.eat("(") {
        body.function.parameters = body.parameters(cursor)?;
    }
    while let directive @ (".noreturn" | ".maxntid" | ".reqntid" | ".minnctapersm" | ".maxnreg") =
        cursor.peek()
    {
        cursor.next();
        if directive != ".noreturn" {
            cursor.number()?;
            while cursor.eat(",") {
                cursor.number()?;
            }
        }
    }
    if cursor.eat(";") {
        return Ok(());
    }
    cursor.expect("{")?;
    let function = body.finish(cursor)?;
    module.object.functions.push(function);
    Ok(())
}
