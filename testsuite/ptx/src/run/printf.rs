//! Formats as C's `printf` does, from a format and arguments in device
//! memory: each argument is at the next multiple of its size, which is 4 or 8.

/// Longest string that is read, and longest text that is written.
const LONGEST: usize = 1 << 20;
/// Most that a width or precision can ask for; Rust's own formatting panics at
/// twice this.
const WIDEST: usize = 1 << 15;

/// Reads the byte at a generic address.
pub(super) type ReadByte<'a> = dyn FnMut(u64) -> Result<u8, String> + 'a;

/// One `%` specification.
#[derive(Default)]
struct Specification {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Whether the length modifier makes an integer one of 8 bytes.
    long: bool,
    /// Bits of a shorter integer.
    short: Option<u32>,
}

/// The arguments not yet taken.
struct Arguments<'a, 'b> {
    address: u64,
    read: &'a mut ReadByte<'b>,
}

impl Arguments<'_, '_> {
    fn take(&mut self, size: u64) -> Result<u64, String> {
        self.address = self.address.wrapping_add(size - 1) & !(size - 1);
        let mut value = [0; 8];
        for byte in &mut value[..size as usize] {
            *byte = (self.read)(self.address)?;
            self.address = self.address.wrapping_add(1);
        }
        Ok(u64::from_le_bytes(value))
    }
}

/// The text that `printf` writes for a format and a buffer of arguments.
pub(super) fn format(
    format: u64,
    arguments: u64,
    read: &mut ReadByte<'_>,
) -> Result<Vec<u8>, String> {
    let format = string(format, usize::MAX, read)?;
    let mut arguments = Arguments { address: arguments, read };
    let mut text = Vec::new();
    let mut rest = &format[..];
    while let [first, after @ ..] = rest {
        rest = after;
        if text.len() > LONGEST {
            return Err(format!("a text of more than {LONGEST} bytes"));
        }
        match (first, after) {
            (b'%', [b'%', after @ ..]) => {
                text.push(b'%');
                rest = after;
            }
            (b'%', _) => rest = specification(after, &mut arguments, &mut text)?,
            _ => text.push(*first),
        }
    }
    Ok(text)
}

/// The string at an address, up to its NUL or `most` bytes.
fn string(address: u64, most: usize, read: &mut ReadByte<'_>) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while bytes.len() < most {
        match read(address.wrapping_add(bytes.len() as u64))? {
            0 => break,
            byte => bytes.push(byte),
        }
        if bytes.len() > LONGEST {
            return Err(format!("string at {address:#x} without end"));
        }
    }
    Ok(bytes)
}

/// Formats by the specification that `rest` begins with, behind its `%`;
/// returns what follows it.
fn specification<'f>(
    mut rest: &'f [u8],
    arguments: &mut Arguments<'_, '_>,
    text: &mut Vec<u8>,
) -> Result<&'f [u8], String> {
    let mut specification = Specification::default();
    while let [flag, after @ ..] = rest {
        match flag {
            b'-' => specification.left = true,
            b'+' => specification.plus = true,
            b' ' => specification.space = true,
            b'#' => specification.alternate = true,
            b'0' => specification.zero = true,
            _ => break,
        }
        rest = after;
    }
    let width = number(&mut rest, arguments)?.unwrap_or(0);
    specification.left |= width < 0;
    specification.width = (width.unsigned_abs() as usize).min(WIDEST);
    if let [b'.', after @ ..] = rest {
        rest = after;
        let precision = number(&mut rest, arguments)?.unwrap_or(0);
        specification.precision = usize::try_from(precision).ok().map(|p| p.min(WIDEST));
    }
    while let [length @ (b'h' | b'l' | b'z' | b'j' | b't' | b'q' | b'L'), after @ ..] = rest {
        match length {
            b'h' => specification.short = Some(specification.short.map_or(16, |_| 8)),
            _ => specification.long = true,
        }
        rest = after;
    }
    let [conversion, after @ ..] = rest else {
        return Err("format ends within a specification".to_owned());
    };
    convert(*conversion, &specification, arguments, text)?;
    Ok(after)
}

/// A width or precision: digits, or `*` for an argument.
fn number(rest: &mut &[u8], arguments: &mut Arguments<'_, '_>) -> Result<Option<i64>, String> {
    if let [b'*', after @ ..] = rest {
        *rest = after;
        return Ok(Some(i64::from(arguments.take(4)? as i32)));
    }
    let mut value = None;
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        let digit = i64::from(digit - b'0');
        value = Some((value.unwrap_or(0) * 10 + digit).min(WIDEST as i64));
        *rest = after;
    }
    Ok(value)
}

fn convert(
    conversion: u8,
    specification: &Specification,
    arguments: &mut Arguments<'_, '_>,
    text: &mut Vec<u8>,
) -> Result<(), String> {
    let size = if specification.long { 8 } else { 4 };
    match conversion {
        b'd' | b'i' => {
            let bits = specification.short.unwrap_or(8 * size as u32);
            let shift = 64 - bits;
            let value = (arguments.take(size)? << shift) as i64 >> shift;
            specification.integer(value < 0, value.unsigned_abs().to_string(), "", text);
        }
        b'u' | b'o' | b'x' | b'X' => {
            let bits = specification.short.unwrap_or(8 * size as u32);
            let value = arguments.take(size)? & (u64::MAX >> (64 - bits));
            let (digits, prefix) = match conversion {
                b'u' => (value.to_string(), ""),
                b'o' => (format!("{value:o}"), "0"),
                b'x' => (format!("{value:x}"), "0x"),
                _ => (format!("{value:X}"), "0X"),
            };
            let prefix = if specification.alternate && value != 0 { prefix } else { "" };
            specification.unsigned(digits, prefix, text);
        }
        b'c' => {
            let character = arguments.take(4)? as u8;
            specification.pad(b"", &[character], false, text);
        }
        b's' => {
            let address = arguments.take(8)?;
            let most = specification.precision.unwrap_or(usize::MAX);
            let bytes = string(address, most, arguments.read)?;
            specification.pad(b"", &bytes, false, text);
        }
        b'p' => {
            let digits = format!("{:x}", arguments.take(8)?);
            specification.unsigned(digits, "0x", text);
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = f64::from_bits(arguments.take(8)?);
            specification.float(conversion, value, text);
        }
        _ => return Err(format!("conversion '%{}'", char::from(conversion))),
    }
    Ok(())
}

impl Specification {
    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn integer(&self, negative: bool, digits: String, prefix: &str, text: &mut Vec<u8>) {
        let sign = self.sign(negative);
        self.digits(&format!("{sign}{prefix}"), digits, text);
    }

    fn unsigned(&self, digits: String, prefix: &str, text: &mut Vec<u8>) {
        self.digits(prefix, digits, text);
    }

    fn digits(&self, prefix: &str, mut digits: String, text: &mut Vec<u8>) {
        if let Some(precision) = self.precision {
            // No digits at all for a zero of precision zero.
            if precision == 0 && digits == "0" {
                digits.clear();
            }
            digits.insert_str(0, &"0".repeat(precision.saturating_sub(digits.len())));
        }
        let zeros = self.zero && self.precision.is_none();
        self.pad(prefix.as_bytes(), digits.as_bytes(), zeros, text);
    }

    /// Appends prefix and body, filled up to the width.
    fn pad(&self, prefix: &[u8], body: &[u8], zeros: bool, text: &mut Vec<u8>) {
        let fill = self.width.saturating_sub(prefix.len() + body.len());
        let (before, between, after) = match (self.left, zeros) {
            (true, _) => (0, 0, fill),
            (false, true) => (0, fill, 0),
            (false, false) => (fill, 0, 0),
        };
        text.extend(std::iter::repeat_n(b' ', before));
        text.extend_from_slice(prefix);
        text.extend(std::iter::repeat_n(b'0', between));
        text.extend_from_slice(body);
        text.extend(std::iter::repeat_n(b' ', after));
    }

    fn float(&self, conversion: u8, value: f64, text: &mut Vec<u8>) {
        let sign = self.sign(value.is_sign_negative());
        let magnitude = value.abs();
        let mut prefix = sign.to_owned();
        let mut body = if value.is_nan() {
            "nan".to_owned()
        } else if value.is_infinite() {
            "inf".to_owned()
        } else {
            let precision = self.precision.unwrap_or(6);
            match conversion.to_ascii_lowercase() {
                b'f' => self.fixed(magnitude, precision),
                b'e' => self.exponential(magnitude, precision),
                b'g' => self.general(magnitude, precision.max(1)),
                _ => {
                    prefix.push_str("0x");
                    self.hexadecimal(magnitude)
                }
            }
        };
        if conversion.is_ascii_uppercase() {
            body.make_ascii_uppercase();
            prefix.make_ascii_uppercase();
        }
        let zeros = self.zero && value.is_finite();
        self.pad(prefix.as_bytes(), body.as_bytes(), zeros, text);
    }

    fn fixed(&self, value: f64, precision: usize) -> String {
        let point = if self.alternate && precision == 0 { "." } else { "" };
        format!("{value:.precision$}{point}")
    }

    fn exponential(&self, value: f64, precision: usize) -> String {
        let (digits, exponent) = scientific(value, precision);
        let point = if self.alternate && precision == 0 { "." } else { "" };
        format!("{digits}{point}{}", exponent_suffix('e', exponent, 2))
    }

    /// The shorter of the two forms above.
    fn general(&self, value: f64, precision: usize) -> String {
        let (digits, exponent) = scientific(value, precision - 1);
        let fixed = (-4..precision as i32).contains(&exponent);
        let mut body = if fixed {
            let after = usize::try_from(precision as i32 - 1 - exponent).unwrap_or(0);
            format!("{value:.after$}")
        } else {
            digits
        };
        if !self.alternate && body.contains('.') {
            body.truncate(body.trim_end_matches('0').trim_end_matches('.').len());
        }
        if fixed { body } else { body + &exponent_suffix('e', exponent, 2) }
    }

    /// `%a`, behind its `0x`.
    fn hexadecimal(&self, value: f64) -> String {
        const FRACTION: u64 = (1 << 52) - 1;
        let bits = value.to_bits();
        let (mut leading, mut exponent) = (1, (bits >> 52) as i32 - 1023);
        if exponent == -1023 {
            leading = 0;
            exponent = if value == 0.0 { 0 } else { -1022 };
        }
        let mut digits = format!("{:013x}", bits & FRACTION);
        match self.precision {
            None => digits.truncate(digits.trim_end_matches('0').len()),
            Some(precision) if precision < 13 => {
                let dropped = 4 * (13 - precision as u32);
                let whole = leading << 52 | bits & FRACTION;
                // Ties go to the even digit.
                let odd = whole >> dropped & 1;
                let rounded = (whole + (1 << (dropped - 1)) - 1 + odd) >> dropped;
                leading = rounded >> (4 * precision);
                let fraction = rounded & ((1 << (4 * precision)) - 1);
                digits = format!("{fraction:0precision$x}");
                digits.truncate(precision);
            }
            Some(precision) => digits.push_str(&"0".repeat(precision - 13)),
        }
        let point = if digits.is_empty() && !self.alternate { "" } else { "." };
        format!("{leading}{point}{digits}{}", exponent_suffix('p', exponent, 1))
    }
}

/// The digits of `value` in scientific notation and its exponent of ten.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

fn exponent_suffix(letter: char, exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{letter}{sign}{:0digits$}", exponent.unsigned_abs())
}
