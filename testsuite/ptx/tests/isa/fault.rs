//! What a kernel may not do, and what is said then.

use softcuda_ptx::Fault;

use crate::machine::{Machine, Shape, WARP};

#[test]
fn accesses_out_of_bounds() {
    let bodies = [
        "st.u32 [16], 1;",
        "ld.u32 %r0, [%in+4];",
        "mov.u64 %x0, 6; ld.u32 %r0, [%x0];",
        "mov.u64 %x0, 8; ld.v2.u64 {%x1, %x2}, [%x0];",
        ".shared .u32 s[3]; st.shared.u32 [s+12], 1;",
        ".shared .u32 s[3]; ld.shared.u32 %r0, [s+-4];",
        ".shared .b8 s[3]; ld.shared.u16 %h0, [s+2];",
        ".shared .u32 s; mov.u64 %x0, s; cvta.shared.u64 %x0, %x0; ld.u64 %x1, [%x0+8];",
        ".local .u64 a; st.local.u64 [a+8], 1;",
        ".local .b8 a[5]; ld.local.u8 %r0, [a+5];",
        "ld.local.u32 %r0, [0];",
        "atom.add.u32 %r0, [0], 1;",
        "mov.u64 %x0, 0x5000000000000000; ld.global.u32 %r0, [%x0];",
        "mov.u64 %x0, -8; ld.u64 %x0, [%x0];",
        "setp.eq.u32 %p0, %l, 9; @%p0 st.u32 [32], 1;",
    ];
    let faults = bodies.map(|body| format!("{body}\n    {}", Machine::kernel(body).fault()));
    insta::assert_snapshot!(faults.join("\n"));
}

#[test]
fn strings_are_read_by_whole_words() {
    // As newlib's strlen does; a function of the program's may not.
    for (function, allowed) in [("strlen", true), ("length", false)] {
        let text = format!(
            ".func (.param .u64 %r) {function} (.param .u64 %s)
            {{ .reg .u64 %x; ld.param.u64 %x, [%s]; ld.u64 %x, [%x]; st.param.u64 [%r], %x; ret; }}
            .visible .entry k (.param .u64 %a, .param .u64 %b)
            {{ .reg .u64 %x; .param .u64 s; .param .u64 r; ld.param.u64 %x, [%a];
              st.param.u64 [s], %x; call (r), {function}, (s); ret; }}"
        );
        let machine = Machine::new(&text);
        let string = machine.memory.allocate(5);
        assert_eq!(machine.run(WARP, &[string, 0]).is_ok(), allowed, "{function}");
    }
}

#[test]
fn functions_are_no_data() {
    let text = ".func f { ret; }
        .visible .entry k (.param .u64 %a, .param .u64 %b)
        { .reg .u64 %x; mov.u64 %x, f; ld.u64 %x, [%x]; ret; }";
    insta::assert_snapshot!(Machine::new(text).fault());
}

#[test]
fn a_trap_in_a_function_names_the_source() {
    let text = ".file 1 \"dir/source.c\"
        .func f
        {
        .loc 1 7 3
        trap;
        exit;
        }
        .visible .entry k (.param .u64 %a, .param .u64 %b)
        {
        .loc 1 3 1
        call f;
        .loc 1 4 1, function_name $L, inlined_at 1 2 3
        ret;
        }";
    let machine = Machine::new(text);
    let shape = Shape { grid: 3, block: [4, 4, 4], ..WARP };
    let fault = machine.run(shape, &[0, 0]).expect_err("a trap");
    insta::assert_snapshot!(fault);
    let Fault { function, line, object, source, .. } = *fault;
    assert_eq!((&function[..], line, &object[..]), ("f", 8, "0.ptx"));
    assert_eq!(source, Some(("dir/source.c".to_owned(), 7)));
}

#[test]
fn the_thread_of_a_fault() {
    let body = "setp.eq.u32 %p0, %t, 41; @%p0 st.u32 [0], 1;";
    let machine = Machine::kernel(body);
    let fault = machine.run(Shape { block: [64, 1, 1], ..WARP }, &[0, 0]).expect_err("a fault");
    assert_eq!(fault.thread, [41, 0, 0]);
    let fault = machine.run(Shape { block: [64, 2, 1], ..WARP }, &[0, 0]).expect_err("a fault");
    assert_eq!(fault.thread, [41, 0, 0]);
}

#[test]
fn local_memory_ends() {
    let text = ".func f { .local .b8 a[20000]; call f; ret; }
        .visible .entry k (.param .u64 %a, .param .u64 %b) { call f; ret; }";
    let alloca = "mov.u64 %x0, 100000; alloca.u64 %x1, %x0;";
    insta::assert_snapshot!(
        [Machine::new(text), Machine::kernel(alloca)].map(|machine| machine.fault()).join("\n")
    );
}

#[test]
fn launches_that_cannot_be() {
    let machine = Machine::kernel("");
    let shapes = [
        (Shape { block: [0, 1, 1], ..WARP }, &[0, 0][..]),
        (Shape { block: [1025, 1, 1], ..WARP }, &[0, 0]),
        (Shape { block: [u32::MAX; 3], ..WARP }, &[0, 0]),
        (Shape { shared: u32::MAX, ..WARP }, &[0, 0]),
        (WARP, &[0]),
    ];
    let faults =
        shapes.map(|(shape, parameters)| machine.run(shape, parameters).expect_err("").reason);
    insta::assert_snapshot!(faults.join("\n"));
    assert!(machine.run(Shape { grid: 0, ..WARP }, &[0, 0]).is_ok(), "no CTA, no fault");
}

#[test]
fn an_endless_loop_is_stopped() {
    assert_eq!(Machine::kernel("$here: bra $here;").fault().split(',').next(), Some("stopped"));
}
