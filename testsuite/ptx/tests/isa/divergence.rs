//! Lanes of a warp that take different paths (PTX ISA 3.1).

use crate::machine::{Machine, Shape, WARP};

fn words(body: &str) -> Vec<u32> {
    Machine::kernel(&format!("{body} st.u32 [%out], %r0;")).words(32)
}

fn each(value: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(value).collect()
}

#[test]
fn both_sides_of_a_branch() {
    let body = "
        setp.lt.u32 %p0, %l, 7;
        @%p0 bra $then;
        mov.u32 %r0, 1;
        bra $end;
        $then: mov.u32 %r0, 2;
        $end: add.u32 %r0, %r0, 10;";
    assert_eq!(words(body), each(|l| if l < 7 { 12 } else { 11 }));
}

#[test]
fn a_loop_as_long_as_each_lane_wants() {
    let body = "
        mov.u32 %r0, 0; mov.u32 %r1, 0;
        $loop: setp.ge.u32 %p0, %r1, %l;
        @%p0 bra $end;
        add.u32 %r0, %r0, %r1;
        add.u32 %r1, %r1, 1;
        bra $loop;
        $end: add.u32 %r0, %r0, 1000;";
    assert_eq!(words(body), each(|l| 1000 + l * l.saturating_sub(1) / 2));
}

#[test]
fn branches_within_branches() {
    let body = "
        and.b32 %r1, %l, 3;
        mov.u32 %r0, 0;
        setp.eq.u32 %p0, %r1, 0; @%p0 bra $a;
        setp.eq.u32 %p1, %r1, 1; @%p1 bra $b;
        setp.eq.u32 %p2, %r1, 2; @!%p2 bra $c;
        add.u32 %r0, %r0, 2; bra $join;
        $a: add.u32 %r0, %r0, 10; bra $join;
        $b: add.u32 %r0, %r0, 20;
        $c: add.u32 %r0, %r0, 40;
        $join: add.u32 %r0, %r0, 100;";
    assert_eq!(words(body), each(|l| 100 + [10, 60, 2, 40][l as usize % 4]));
}

/// GCC's OpenMP code has all lanes add to the same variable without atomics:
/// in lockstep they all load before any of them stores.
#[test]
fn lanes_in_lockstep_add_once() {
    let body = "ld.u32 %r0, [%in]; add.u32 %r0, %r0, 1; st.u32 [%in], %r0; ld.u32 %r0, [%in];
                add.u32 %r1, %l, 1; sub.u32 %r1, %r1, %l; add.u32 %r0, %r0, %r1;
                st.u32 [%in], %r0;";
    let machine = Machine::kernel(body);
    for quantum in [1, 2, 100] {
        let cell = machine.memory.allocate(4);
        let out = machine.memory.allocate(128);
        machine.run(Shape { quantum, ..WARP }, &[out, cell]).expect("no fault");
        assert_eq!(machine.memory.words(cell, 1), [2], "quantum {quantum}");
    }
}

/// Lanes that went separate ways are in lockstep again where the ways join.
#[test]
fn joined_lanes_are_in_lockstep_again() {
    let body = "
        setp.lt.u32 %p0, %l, 7;
        @%p0 bra $then;
        mov.u32 %r1, 1; mov.u32 %r2, 1;
        bra $join;
        $then: mov.u32 %r1, 1;
        $join: ld.u32 %r0, [%in]; add.u32 %r0, %r0, %r1; st.u32 [%in], %r0;";
    let machine = Machine::kernel(body);
    let (out, cell) = (machine.memory.allocate(128), machine.memory.allocate(4));
    let counts = machine.run(WARP, &[out, cell]).expect("no fault");
    assert_eq!(machine.memory.words(cell, 1), [1]);
    assert!(counts.uniform > counts.instructions / 2, "{counts:?}");
}

#[test]
fn lanes_that_exit_leave_the_others() {
    let body = "
        mov.u32 %r0, 3; st.u32 [%out], %r0;
        setp.lt.u32 %p0, %l, 5;
        @%p0 exit;
        vote.ballot.b32 %r0, %p0;
        not.b32 %r0, %r0;";
    assert_eq!(words(body), each(|l| if l < 5 { 3 } else { u32::MAX }));
}

#[test]
fn lanes_return_one_by_one() {
    let text = "
        .func (.param .u32 %value_out) f (.param .u32 %in_ar0)
        {
        .reg .u32 %a; .reg .pred %p;
        ld.param.u32 %a, [%in_ar0];
        st.param.u32 [%value_out], 5;
        setp.lt.u32 %p, %a, 9;
        @%p ret;
        st.param.u32 [%value_out], 6;
        setp.lt.u32 %p, %a, 20;
        @%p bra $early;
        st.param.u32 [%value_out], 7;
        ret;
        $early: ret;
        }
        .visible .entry k (.param .u64 %a, .param .u64 %b)
        {
        .reg .u64 %out; .reg .u32 %l, %r;
        .param .u32 %x; .param .u32 %y;
        ld.param.u64 %out, [%a];
        mov.u32 %l, %laneid;
        mad.wide.u32 %out, %l, 4, %out;
        st.param.u32 [%x], %l;
        call (%y), f, (%x);
        ld.param.u32 %r, [%y];
        st.u32 [%out], %r;
        ret;
        }";
    let expected = each(|l| match l {
        0..9 => 5,
        9..20 => 6,
        _ => 7,
    });
    assert_eq!(Machine::new(text).words(32), expected);
}

#[test]
fn a_partial_warp() {
    let machine =
        Machine::kernel("vote.ballot.b32 %r0, %p0; activemask.b32 %r0; st.u32 [%out], %r0;");
    assert_eq!(machine.words(5), [0x1f; 5]);
    assert_eq!(machine.words(33)[32], 1);
}

/// The same values in all lanes are computed once, also after they differed.
#[test]
fn values_that_agree_again_are_uniform() {
    let varying = "add.u32 %r1, %l, 1;\n".repeat(20);
    let uniform = "sub.u32 %r1, %r1, %l;\n".to_owned() + &"add.u32 %r1, %r1, 1;\n".repeat(20);
    let count = |body: &str| {
        let machine = Machine::kernel(body);
        let counts = machine.run(WARP, &[machine.memory.allocate(128), 0]).expect("no fault");
        counts.instructions - counts.uniform
    };
    let both = count(&(varying.clone() + &uniform));
    assert_eq!(both, count(&varying) + 1);
}
