//! `vprintf`, which a CUDA driver supplies, against what C's `printf` writes.

use crate::machine::{Machine, WARP};

/// An argument as `vprintf` finds it in memory.
enum Argument<'a> {
    Int(i32),
    Long(i64),
    Double(f64),
    Text(&'a str),
}

use Argument::{Double, Int, Long, Text};

fn print(format: &str, arguments: &[Argument<'_>]) -> String {
    let machine = Machine::kernel(
        "setp.ne.u32 %p0, %l, 0; @%p0 exit;
        {
        .param .u64 %a; .param .u64 %b; .param .u32 %v;
        ld.u64 %x0, [%in]; ld.u64 %x1, [%in+8];
        st.param.u64 [%a], %x0; st.param.u64 [%b], %x1;
        call (%v), vprintf, (%a, %b);
        ld.param.u32 %r0, [%v];
        st.u32 [%out], %r0;
        }",
    );
    let memory = &machine.memory;
    let string = |text: &str| {
        let address = memory.allocate(text.len() as u64 + 1);
        memory.write(address, text.as_bytes());
        address
    };
    let mut bytes: Vec<u8> = Vec::new();
    for argument in arguments {
        if !matches!(argument, Int(_)) {
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        match argument {
            Int(value) => bytes.extend(value.to_le_bytes()),
            Long(value) => bytes.extend(value.to_le_bytes()),
            Double(value) => bytes.extend(value.to_le_bytes()),
            Text(text) => bytes.extend(string(text).to_le_bytes()),
        }
    }
    let buffer = memory.allocate(bytes.len() as u64);
    memory.write(buffer, &bytes);
    let both = memory.allocate(16);
    memory.write(both, &[string(format), buffer].map(u64::to_le_bytes).concat());
    let out = memory.allocate(128);
    if let Err(fault) = machine.run(WARP, &[out, both]) {
        return fault.reason;
    }
    let printed = memory.printed.lock().expect("lock").clone();
    assert_eq!(memory.words(out, 1), [printed.len() as u32], "the length is returned");
    String::from_utf8(printed).expect("text")
}

#[test]
fn integers() {
    assert_eq!(print("%d %i %u|", &[Int(-5), Int(7), Int(-1)]), "-5 7 4294967295|");
    assert_eq!(print("%5d|%-5d|%05d|%+d|% d", &[Int(42), Int(42), Int(-42), Int(1), Int(2)]), {
        "   42|42   |-0042|+1| 2"
    });
    assert_eq!(print("%x %X %#x %o %#o %#x", &[255, 255, 255, 8, 8, 0].map(Int)), {
        "ff FF 0xff 10 010 0"
    });
    assert_eq!(print("%d %ld %lld", &[Int(1), Long(1 << 40), Long(i64::MIN)]), {
        "1 1099511627776 -9223372036854775808"
    });
    assert_eq!(print("%hd %hhu %zu", &[Int(70_000), Int(257), Long(9)]), "4464 1 9");
    assert_eq!(print("%.3d|%8.3d|%.0d|", &[Int(5), Int(-5), Int(0)]), "005|    -005||");
    assert_eq!(print("%*d|%-*d|%*d", &[4, 1, 4, 2, -4, 3].map(Int)), "   1|2   |3   ");
}

#[test]
fn characters_and_strings() {
    assert_eq!(print("%c%c %%", &[Int(72), Int(105)]), "Hi %");
    assert_eq!(print("%s|%6s|%-6s|%.2s", &[Text("one"), Text("two"), Text("six"), Text("ten")]), {
        "one|   two|six   |te"
    });
    assert_eq!(print("%p", &[Long(0x1234)]), "0x1234");
    assert_eq!(print("plain", &[]), "plain");
}

#[test]
fn numbers() {
    assert_eq!(print("%f %.2f %10.3f|%-10.1f|", &[1.5, 2.345, -1.0, 9.96].map(Double)), {
        "1.500000 2.35     -1.000|10.0      |"
    });
    assert_eq!(print("%e %.0e %E", &[12345.678, 5e-7, 0.0].map(Double)), {
        "1.234568e+04 5e-07 0.000000E+00"
    });
    assert_eq!(print("%g %g %g %g %g", &[0.0001, 1e-5, 123456.0, 1234567.0, 100.0].map(Double)), {
        "0.0001 1e-05 123456 1.23457e+06 100"
    });
    assert_eq!(print("%.3g %#g %G", &[2.71999, 2.0, 1e100].map(Double)), "2.72 2.00000 1E+100");
    assert_eq!(
        print("%f %F %5.1f|%+.1f", &[f64::INFINITY, f64::NAN, -f64::INFINITY, 0.5].map(Double)),
        { "inf NAN  -inf|+0.5" }
    );
    assert_eq!(print("%a %a %.1a %a", &[1.0, -0.5, 1.97, 0.0].map(Double)), {
        "0x1p+0 -0x1p-1 0x2.0p+0 0x0p+0"
    });
    assert_eq!(print("%08.2f|%#.0f", &[-3.5, 3.0].map(Double)), "-0003.50|3.");
    assert_eq!(print("%d %f %d", &[Int(1), Double(2.0), Int(3)]), "1 2.000000 3");
}

#[test]
fn widths_and_precisions_have_an_end() {
    assert_eq!(print("%99999999999d", &[Int(1)]).len(), 1 << 15);
    for conversion in ["f", "e", "g", "a"] {
        for precision in ["70000", "99999999999", "*"] {
            let format = format!("%#.{precision}{conversion}");
            let arguments = [Int(i32::MAX), Double(1.0)];
            let arguments = if precision == "*" { &arguments[..] } else { &arguments[1..] };
            assert!(print(&format, arguments).len() >= 1 << 15, "{format}");
        }
    }
}

#[test]
fn formats_that_cannot_be() {
    assert_eq!(print("%y", &[Int(1)]), "vprintf: conversion '%y'");
    assert_eq!(print("%5", &[]), "vprintf: format ends within a specification");
    assert_eq!(print("%d", &[]).split(':').next(), Some("vprintf"));
    assert!(print("%s", &[Long(8)]).ends_with("load of 1 byte at 0x8: not allocated"));
}
