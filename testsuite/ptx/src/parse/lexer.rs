//! Tokens of a PTX text (PTX ISA 4.1 to 4.5).

/// A token. The end of the text is the empty token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: u32,
}

/// Cuts a text into tokens: words (names, directives and mnemonics with all
/// their dots, numbers), quoted strings, single characters.
#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
    line: u32,
}

/// Bytes of words. Those above ASCII count, so that a word never ends inside
/// a character.
fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.') || byte >= 0x80
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, position: 0, line: 1 }
    }

    /// The next token.
    pub(crate) fn token(&mut self) -> Token<'a> {
        self.skip_space();
        let bytes = self.text.as_bytes();
        let start = self.position;
        let line = self.line;
        match bytes.get(start) {
            None => {}
            Some(b'"') => self.string(),
            Some(&byte) if in_word(byte) => {
                while bytes.get(self.position).is_some_and(|&byte| in_word(byte)) {
                    self.position += 1;
                }
            }
            Some(_) => self.position += 1,
        }
        Token { text: &self.text[start..self.position], line }
    }

    fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.position) {
            match (byte, bytes.get(self.position + 1)) {
                // mkoffload ends each text with a NUL, and joins some by it.
                (b' ' | b'\t' | b'\r' | 0, _) => self.position += 1,
                (b'\n', _) => {
                    self.line += 1;
                    self.position += 1;
                }
                (b'/', Some(b'/')) => {
                    let rest = &bytes[self.position..];
                    let end = rest.iter().position(|&byte| byte == b'\n');
                    self.position += end.unwrap_or(rest.len());
                }
                (b'/', Some(b'*')) => {
                    let rest = &self.text[self.position..];
                    let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
                    self.advance(length);
                }
                _ => break,
            }
        }
    }

    fn string(&mut self) {
        let rest = &self.text[self.position..];
        let length = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
        self.advance(length);
    }

    /// Steps over `length` bytes that may hold line ends.
    fn advance(&mut self, length: usize) {
        let skipped = &self.text.as_bytes()[self.position..self.position + length];
        self.line += skipped.iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.position += length;
    }
}
