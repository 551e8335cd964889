//! The parser's place in a text.

use super::lexer::{Lexer, Token};

/// Why a text cannot be parsed, and where.
#[derive(Debug)]
pub(crate) struct Flaw {
    pub(crate) line: u32,
    pub(crate) reason: String,
}

pub(crate) type Parsed<T> = Result<T, Flaw>;

/// A stream of tokens, of which one is looked at ahead.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    lexer: Lexer<'a>,
    ahead: Token<'a>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Cursor<'a> {
        let mut lexer = Lexer::new(text);
        let ahead = lexer.token();
        Cursor { lexer, ahead }
    }

    /// The next token, which stays; empty at the end of the text.
    pub(crate) fn peek(&self) -> &'a str {
        self.ahead.text
    }

    pub(crate) fn at_end(&self) -> bool {
        self.ahead.text.is_empty()
    }

    /// Line of the next token.
    pub(crate) fn line(&self) -> u32 {
        self.ahead.line
    }

    /// Takes the next token.
    pub(crate) fn next(&mut self) -> &'a str {
        let text = self.ahead.text;
        self.ahead = self.lexer.token();
        text
    }

    /// Takes the next token if it is `text`.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = self.ahead.text == text;
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) {
            return Ok(());
        }
        Err(self.unexpected(&format!("'{text}'")))
    }

    /// Takes a name: any word that is no number.
    pub(crate) fn name(&mut self) -> Parsed<&'a str> {
        let first = self.peek().bytes().next().unwrap_or(b';');
        if first.is_ascii_alphabetic() || matches!(first, b'_' | b'$' | b'%') {
            return Ok(self.next());
        }
        Err(self.unexpected("a name"))
    }

    /// Takes an unsigned number.
    pub(crate) fn number(&mut self) -> Parsed<u64> {
        let number = number(self.peek()).ok_or_else(|| self.unexpected("a number"))?;
        self.next();
        Ok(number)
    }

    /// Takes `+ N`, `- N`, `+ -N` or nothing at all.
    pub(crate) fn displacement(&mut self) -> Parsed<i64> {
        let mut negative = false;
        match self.peek() {
            "+" => {}
            "-" => negative = true,
            _ => return Ok(0),
        }
        self.next();
        negative ^= self.eat("-");
        let magnitude = self.number()? as i64;
        Ok(if negative { magnitude.wrapping_neg() } else { magnitude })
    }

    /// Takes tokens up to and including `text`.
    pub(crate) fn skip_past(&mut self, text: &str) -> Parsed<()> {
        while !self.eat(text) {
            if self.at_end() {
                return Err(self.unexpected(&format!("'{text}'")));
            }
            self.next();
        }
        Ok(())
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> Flaw {
        let found = if self.at_end() {
            "the end of the text".to_owned()
        } else {
            format!("'{}'", self.peek())
        };
        self.flaw(format!("expected {wanted}, found {found}"))
    }

    pub(crate) fn flaw(&self, reason: impl Into<String>) -> Flaw {
        Flaw { line: self.line(), reason: reason.into() }
    }
}

/// Value of an integer or floating-point constant (PTX ISA 4.5), the latter
/// as its bits.
fn number(text: &str) -> Option<u64> {
    let hexadecimal = |prefixes: [&str; 2]| {
        prefixes
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))
            .map(|digits| u64::from_str_radix(digits.strip_suffix('U').unwrap_or(digits), 16).ok())
    };
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    hexadecimal(["0x", "0X"])
        .or_else(|| hexadecimal(["0f", "0F"]))
        .or_else(|| hexadecimal(["0d", "0D"]))
        .unwrap_or_else(|| {
            let digits = text.strip_suffix('U').unwrap_or(text);
            match digits.strip_prefix('0') {
                Some(octal) if !octal.is_empty() => u64::from_str_radix(octal, 8).ok(),
                _ => digits.parse().ok(),
            }
        })
}
