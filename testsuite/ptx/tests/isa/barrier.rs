//! PTX ISA 9.7.13.1: barriers of a CTA.

use crate::machine::{Machine, Shape, WARP};

fn four_warps(body: &str, quantum: u32) -> (Machine, u64, Result<(), String>) {
    let machine = Machine::kernel(body);
    let out = machine.memory.allocate(4 * 128);
    let shape = Shape { block: [128, 1, 1], quantum, ..WARP };
    let result = machine.run(shape, &[out, 0]).map(|_| ()).map_err(|fault| fault.to_string());
    (machine, out, result)
}

/// Each warp writes, waits and reads what the next warp wrote.
#[test]
fn all_warps_wait_for_each_other() {
    let body = "
        .shared .u32 s[4];
        shr.u32 %r0, %t, 5;
        mov.u64 %x0, s;
        mad.wide.u32 %x1, %r0, 4, %x0;
        add.u32 %r1, %r0, 100;
        st.shared.u32 [%x1], %r1;
        bar.sync 0;
        add.u32 %r0, %r0, 1; and.b32 %r0, %r0, 3;
        mad.wide.u32 %x1, %r0, 4, %x0;
        ld.shared.u32 %r2, [%x1];
        st.u32 [%out], %r2;";
    for quantum in [1, 3, 100] {
        let (machine, out, result) = four_warps(body, quantum);
        result.expect("no fault");
        for (thread, word) in machine.memory.words(out, 128).into_iter().enumerate() {
            assert_eq!(word as usize, 100 + (thread / 32 + 1) % 4, "quantum {quantum}");
        }
    }
}

/// As GCC's OpenACC routines do, the first warp soon writes again what the
/// others read after the barrier.
#[test]
fn warps_leave_a_barrier_abreast() {
    let body = "
        .shared .u32 s;
        shr.u32 %r0, %t, 5;
        setp.ne.u32 %p0, %r0, 0;
        @!%p0 st.shared.u32 [s], 5;
        bar.sync 0;
        add.u32 %r1, %r0, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;
        ld.shared.u32 %r2, [s];
        add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;
        add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;
        @!%p0 st.shared.u32 [s], 6;
        st.u32 [%out], %r2;";
    let (machine, out, result) = four_warps(body, 1000);
    result.expect("no fault");
    assert_eq!(machine.memory.words(out, 128), vec![5; 128]);
}

#[test]
fn some_warps_wait_and_others_only_arrive() {
    let body = "
        .shared .u32 s;
        shr.u32 %r0, %t, 5;
        setp.ge.u32 %p0, %r0, 2;
        @%p0 bra $end;
        setp.eq.u32 %p1, %r0, 0;
        @%p1 bra $wait;
        st.shared.u32 [s], 5;
        bar.arrive 3, 64;
        bra $end;
        $wait: bar.sync 3, 64;
        ld.shared.u32 %r1, [s];
        st.u32 [%out], %r1;
        $end:";
    let (machine, out, result) = four_warps(body, 100);
    result.expect("no fault");
    assert_eq!(machine.memory.words(out, 33), [vec![5; 32], vec![0]].concat());
}

#[test]
fn warps_that_are_done_are_not_waited_for() {
    let body = "
        setp.ge.u32 %p0, %t, 64;
        @%p0 exit;
        bar.sync 0;
        st.u32 [%out], 1;";
    let (machine, out, result) = four_warps(body, 100);
    result.expect("no fault");
    assert_eq!(machine.memory.words(out, 65), [vec![1; 64], vec![0]].concat());
}

#[test]
fn reductions_over_all_threads() {
    let body = "
        setp.lt.u32 %p0, %t, 40;
        bar.red.popc.u32 %r0, 1, %p0;
        bar.red.and.pred %p1, 1, %p0;
        bar.red.or.pred %p2, 1, 128, !%p0;
        @%p1 add.u32 %r0, %r0, 1000;
        @%p2 add.u32 %r0, %r0, 2000;
        st.u32 [%out], %r0;";
    let (machine, out, result) = four_warps(body, 100);
    result.expect("no fault");
    assert_eq!(machine.memory.words(out, 128), [2040; 128]);
}

#[test]
fn a_deadlock_tells_where_each_warp_is() {
    let body = "
        setp.ge.u32 %p0, %t, 96;
        @%p0 exit;
        setp.ge.u32 %p1, %t, 64;
        @%p1 bra $other;
        bar.sync 1, 96;
        ret;
        $other: bar.sync 2, 64;";
    let (_, _, result) = four_warps(body, 100);
    insta::assert_snapshot!(result.expect_err("a deadlock"));
}

#[test]
fn barriers_that_cannot_be() {
    let faults = ["bar.sync 16;", "bar.sync 0, 40;"].map(|body| Machine::kernel(body).fault());
    insta::assert_snapshot!(faults.join("\n"));
}
