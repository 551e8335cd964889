//! PTX ISA 9.7.9.6 and 9.7.13.9: what lanes do together.

use crate::machine::Machine;

fn words(body: &str) -> Vec<u32> {
    Machine::kernel(&format!("{body} st.u32 [%out], %r0;")).words(32)
}

fn each(value: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(value).collect()
}

#[test]
fn shuffles_of_a_whole_warp() {
    let from = |shuffle: &str| words(&format!("add.u32 %r1, %l, 100; {shuffle};"));
    assert_eq!(from("shfl.sync.idx.b32 %r0, %r1, 5, 31, 0xffffffff"), [105; 32]);
    assert_eq!(from("shfl.idx.b32 %r0, %r1, 37, 31"), [105; 32]);
    assert_eq!(from("shfl.sync.up.b32 %r0, %r1, 1, 0, -1"), each(|l| 100 + l.saturating_sub(1)));
    let down = |l| if l + 2 < 32 { 102 + l } else { 100 + l };
    assert_eq!(from("shfl.sync.down.b32 %r0, %r1, 2, 31, -1"), each(down));
    assert_eq!(from("shfl.bfly.b32 %r0, %r1, 16, 31"), each(|l| 100 + (l ^ 16)));
    assert_eq!(from("shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1; mov.u32 %r0, %r1"), {
        each(|l| 100 + (l ^ 1))
    });
}

#[test]
fn shuffles_within_segments_of_eight() {
    // Bits 8 to 12 of the limits make segments, the low ones the clamp.
    let from = |shuffle: &str| words(&format!("mov.u32 %r1, %l; {shuffle};"));
    assert_eq!(from("shfl.idx.b32 %r0, %r1, 3, 0x1807"), each(|l| l / 8 * 8 + 3));
    let up = |l: u32| if l % 8 < 3 { l } else { l - 3 };
    assert_eq!(from("shfl.up.b32 %r0, %r1, 3, 0x1800"), each(up));
    let down = |l: u32| if l % 8 + 3 > 7 { l } else { l + 3 };
    assert_eq!(from("shfl.down.b32 %r0, %r1, 3, 0x1807"), each(down));
}

#[test]
fn the_predicate_says_whether_the_lane_was_inside() {
    let body = "mov.u32 %r1, %l; shfl.sync.down.b32 %r1|%p0, %r1, 1, 31, 0xffffffff;
                selp.u32 %r0, 1, 0, %p0;";
    assert_eq!(words(body), each(|l| u32::from(l < 31)));
}

#[test]
fn votes() {
    let vote = |vote: &str| words(&format!("setp.lt.u32 %p0, %l, 4; {vote}"));
    assert_eq!(vote("vote.ballot.b32 %r0, %p0;"), [0xf; 32]);
    assert_eq!(vote("vote.sync.ballot.b32 %r0, %p0, 0xffffffff;"), [0xf; 32]);
    assert_eq!(vote("vote.sync.ballot.b32 %r0, !%p0, 0xff;"), [0xf0; 32]);
    assert_eq!(vote("vote.any.pred %p1, %p0; selp.u32 %r0, 1, 0, %p1;"), [1; 32]);
    assert_eq!(vote("vote.all.pred %p1, %p0; selp.u32 %r0, 1, 0, %p1;"), [0; 32]);
    assert_eq!(vote("vote.uni.pred %p1, %p0; selp.u32 %r0, 1, 0, %p1;"), [0; 32]);
    assert_eq!(vote("vote.sync.all.pred %p1, %p0, 3; selp.u32 %r0, 1, 0, %p1;"), [1; 32]);
    assert_eq!(vote("mov.u32 %r0, 9; @%p0 activemask.b32 %r0;"), {
        each(|l| if l < 4 { 0xf } else { 9 })
    });
}

/// Lanes that took different paths meet at a collective before their paths
/// join.
#[test]
fn lanes_wait_for_each_other_at_a_collective() {
    let body = "
        mov.u32 %r1, %l;
        setp.lt.u32 %p0, %l, 16;
        @%p0 bra $low;
        add.u32 %r1, %r1, 1000;
        bra $join;
        $low: add.u32 %r1, %r1, 2000;
        $join: shfl.sync.idx.b32 %r0, %r1, 31, 31, 0xffffffff;";
    assert_eq!(words(body), [1031; 32]);
}

#[test]
fn a_collective_of_some_lanes_leaves_the_others_out() {
    let body = "
        mov.u32 %r0, 0;
        setp.lt.u32 %p0, %l, 16;
        @!%p0 bra $end;
        setp.lt.u32 %p1, %l, 2;
        vote.sync.ballot.b32 %r0, %p1, 0xffff;
        $end:";
    assert_eq!(words(body), each(|l| if l < 16 { 3 } else { 0 }));
}

#[test]
fn warp_barriers_at_different_places_meet() {
    let body = "
        setp.lt.u32 %p0, %l, 16;
        @%p0 bra $low;
        mov.u32 %r0, 1;
        bar.warp.sync 0xffffffff;
        bra $join;
        $low: mov.u32 %r0, 2;
        bar.warp.sync 0xffffffff;
        $join:";
    assert_eq!(words(body), each(|l| if l < 16 { 2 } else { 1 }));
}

#[test]
fn lanes_that_will_never_meet() {
    let body = "
        setp.lt.u32 %p0, %l, 16;
        @%p0 bra $low;
        shfl.sync.idx.b32 %r0, %l, 0, 31, 0xffffffff;
        bra $join;
        $low: vote.sync.ballot.b32 %r0, %p0, 0xffffffff;
        $join:";
    insta::assert_snapshot!(Machine::kernel(body).fault());
}

/// As before sm_70: the lanes that are there do it for themselves.
#[test]
fn collectives_without_sync_never_deadlock() {
    let body = "
        setp.lt.u32 %p0, %l, 16;
        @%p0 bra $low;
        vote.ballot.b32 %r0, !%p0;
        bra $join;
        $low: vote.ballot.b32 %r0, %p0;
        $join:";
    assert_eq!(words(body), each(|l| if l < 16 { 0xffff } else { 0xffff_0000 }));
}
