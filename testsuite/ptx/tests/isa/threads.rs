//! CTAs on several host threads.

use crate::machine::{Machine, Shape, WARP};

const MANY: Shape = Shape { grid: 40, block: [64, 1, 1], threads: 4, ..WARP };

#[test]
fn atomics_of_all_ctas_add_up() {
    let machine = Machine::kernel(
        "mov.u32 %r1, 0;
        $loop: atom.add.u32 %r0, [%in], 1;
        add.u32 %r1, %r1, 1;
        setp.lt.u32 %p0, %r1, 20;
        @%p0 bra $loop;
        atom.add.f64 %d0, [%in+8], 0d3FF0000000000000;",
    );
    for threads in [1, 4] {
        let cell = machine.memory.allocate(16);
        let out = machine.memory.allocate(4 * 64);
        let counts = machine.run(Shape { threads, ..MANY }, &[out, cell]).expect("no fault");
        assert_eq!(machine.memory.words(cell, 1), [40 * 64 * 20]);
        assert_eq!(machine.memory.read(cell + 8, 8), f64::to_le_bytes(40.0 * 64.0));
        assert_eq!(counts.instructions % 40, 0, "each CTA takes the same");
    }
}

#[test]
fn each_cta_has_its_own_shared_memory() {
    let machine = Machine::kernel(
        ".shared .u32 s;
        mov.u32 %r0, %ctaid.x;
        setp.eq.u32 %p0, %t, 0;
        @%p0 st.shared.u32 [s], %r0;
        bar.sync 0;
        ld.shared.u32 %r1, [s];
        setp.ne.u32 %p1, %r0, %r1;
        @%p1 trap;
        mul.wide.u32 %x0, %r0, 256;
        add.u64 %out, %out, %x0;
        st.u32 [%out], %r1;",
    );
    let out = machine.memory.allocate(40 * 256);
    machine.run(MANY, &[out, 0]).expect("no fault");
    let words = machine.memory.words(out, 40 * 64);
    assert!(words.iter().enumerate().all(|(index, &word)| word as usize == index / 64));
}

#[test]
fn one_fault_ends_all() {
    let machine = Machine::kernel(
        "mov.u32 %r0, %ctaid.x;
        setp.eq.u32 %p0, %r0, 11;
        @%p0 trap;
        setp.eq.u32 %p0, %r0, 12;
        $wait: @%p0 bra $wait;",
    );
    let fault = machine.run(MANY, &[0, 0]).expect_err("a trap");
    assert_eq!((&fault.reason[..], fault.cta), ("trap", [11, 0, 0]));
}
