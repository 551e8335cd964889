//! What is said of a text that is not PTX as GCC emits it.

use softcuda_ptx::Object;

fn error(text: &str) -> String {
    Object::parse("x.ptx", text).err().map_or("no error".to_owned(), |error| error.to_string())
}

/// The errors of statements in the body of a function.
fn statements(statements: &[&str]) -> String {
    let errors = statements.iter().map(|statement| {
        let declarations = ".reg .u32 %r, %s; .reg .u64 %x; .reg .v2 .u32 %v; .reg .pred %p;";
        let text = format!(".func f (.param .u32 %a)\n{{ {declarations}\n{statement}\n}}\n");
        format!("{statement}\n    {}\n", error(&text))
    });
    errors.collect()
}

#[test]
fn unknown_instructions() {
    insta::assert_snapshot!(statements(&[
        "frobnicate.u32 %r, %s;",
        "add.u7 %r, %r, %s;",
        "add.sat.s32 %r, %r, %s;",
        "add.rz.f32 %r, %r, %s;",
        "cvt.sat.u8.s32 %r, %s;",
        "cvt.f32.s32 %r, %s;",
        "mul.u32 %r, %r, %s;",
        "setp.lt.b32 %p, %r, %s;",
        "setp.equ.s32 %p, %r, %s;",
        "ld.texture.u32 %r, [%x];",
        "ld.pred %p, [%x];",
        "ld.u32.u32 %r, [%x];",
        "atom.exch.f32 %r, [%x], %s;",
        "atom.add.u8 %r, [%x], %s;",
        "shfl.left.b32 %r, %r, 1, 2;",
        "bar.warp.arrive 3;",
        "mov.u32.a.b.c.d.e.f.g.h.i.j.k.l %r, %s;",
        "lop3.b32 %r, %r, %r, %r, 3;",
    ]));
}

#[test]
fn wrong_operands() {
    insta::assert_snapshot!(statements(&[
        "add.u32 %r, %s;",
        "add.u32 %r, %r, %t;",
        "add.u32 5, %r, %s;",
        "add.u32 %r, %r, 0x;",
        "add.u32 %r, %r, 99999999999999999999999;",
        "mov.u32 %v.z, 1;",
        "mov.v2.u32 %v, 1;",
        "mov.v2.u32 %v, {1, 2, 3};",
        "mov.b64 %x, {%r, %s, %r};",
        "ld.v2.u32 {%r}, [%x];",
        "ld.u32 %r, [%x+99999999999];",
        "ld.u32 %r, %x;",
        "ld.param.u32 %r, [%b];",
        "ld.param.u64 %x, [%a];",
        "ld.param.u32 %r, [%a+2];",
        "st.param.u16 [%a+-2], %r;",
        "mov.u64 %x, %a;",
        "bar.red.popc.u32 %r, 1;",
        "call (%q), f, (%a);",
        "alloca.u64 %x, %x, 3;",
        "@%q bra $end;",
    ]));
}

#[test]
fn broken_functions() {
    insta::assert_snapshot!(statements(&[
        "bra $nowhere;",
        "add.u32 %r, %r, %s",
        "{ add.u32 %r, %r, %s;",
        ".reg .u32 %q<2000000>;",
        ".reg .v3 .u32 %q;",
        ".param .b8 %q[0];",
        ".param .b8 %q[9999999];",
        ".local .b8 a[1048577];",
        ".local .align 3 .b8 a[2];",
        ".loc 1 x;",
        ".pragma \"nounroll\"",
        ".shared .u32 s[99999999999999];",
    ]));
}

#[test]
fn broken_modules() {
    let texts = [
        ".version",
        ".target sm_30,",
        ".visible",
        ".visible .texref t;",
        ".func",
        ".func f",
        ".func f (.param .u32)",
        ".func f (.reg .u32 %a",
        ".func f (.u32 %a) { ret; }",
        ".entry 3 { ret; }",
        ".file 1 name",
        ".section .debug_info {",
        ".global .u32 x = { 1, 2",
        ".global .u32 x[1] = { 1, 2 };",
        ".global .u32 x = f(;",
        ".global .align 0 .u32 x;",
        ".alias a;",
        "hello",
        "\"unfinished",
        "/* unfinished",
        "é",
        ".func é { ret; }",
    ];
    let errors = texts.map(|text| format!("{text}\n    {}\n", error(text)));
    insta::assert_snapshot!(errors.concat());
}

#[test]
fn lines_are_counted_over_comments_and_strings() {
    let text = "// one\n/* two\nthree */ .file 1 \"four\n\" \0 \r\n.nonsense";
    assert_eq!(error(text), "x.ptx:5: expected a directive, found '.nonsense'");
}
