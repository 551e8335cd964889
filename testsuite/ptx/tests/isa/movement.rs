//! Moves, loads and stores: PTX ISA 9.7.9.

use softcuda_ptx::Memory;

use crate::machine::{Machine, Shape, WARP};

/// What all lanes store as 8 bytes each after `body`, which leaves it in
/// `%x0`; `%in` points to `input`.
fn result(body: &str, input: &[u8]) -> Vec<u64> {
    let machine = Machine::kernel(&format!(
        "{body}
        mad.wide.u32 %out, %t, 4, %out;
        st.u64 [%out], %x0;"
    ));
    let out = machine.memory.allocate(8 * 32);
    let address = machine.memory.allocate(64);
    machine.memory.write(address, input);
    machine.run(WARP, &[out, address]).unwrap_or_else(|fault| panic!("{fault}"));
    let bytes = machine.memory.read(out, 8 * 32);
    bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
}

/// As [`result`], which must be the same in all lanes.
fn uniform(body: &str, input: &[u8]) -> u64 {
    let results = result(body, input);
    assert!(results.iter().all(|&result| result == results[0]), "{body}: {results:x?}");
    results[0]
}

const INPUT: [u8; 16] = [0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8, 1, 2, 3, 4, 5, 6, 7, 8];

#[test]
fn loads_extend_to_the_register() {
    let ones = u64::MAX;
    let cases = [
        ("ld.u8 %r0, [%in]; cvt.u64.u32 %x0, %r0;", 0x81),
        ("ld.s8 %r0, [%in]; cvt.u64.u32 %x0, %r0;", 0xffff_ff81),
        ("ld.s8 %x0, [%in];", ones << 8 | 0x81),
        ("ld.s8 %h0, [%in]; cvt.u64.u16 %x0, %h0;", 0xff81),
        ("ld.b8 %x0, [%in];", 0x81),
        ("ld.u16 %h0, [%in]; cvt.u64.u16 %x0, %h0;", 0x9281),
        ("ld.s16 %r0, [%in]; cvt.u64.u32 %x0, %r0;", 0xffff_9281),
        ("ld.s16 %x0, [%in];", ones << 16 | 0x9281),
        ("ld.u16 %x0, [%in];", 0x9281),
        ("ld.s32 %x0, [%in];", ones << 32 | 0xb4a3_9281),
        ("ld.u32 %x0, [%in];", 0xb4a3_9281),
        ("ld.u32 %x0, [%in+4];", 0xf8e7_d6c5),
        ("ld.s64 %x0, [%in];", 0xf8e7_d6c5_b4a3_9281),
        ("ld.global.u64 %x0, [%in+8];", 0x0807_0605_0403_0201),
        ("add.u64 %in, %in, 16; ld.u64 %x0, [%in+-8];", 0x0807_0605_0403_0201),
        ("ld.volatile.u64 %x0, [%in];", 0xf8e7_d6c5_b4a3_9281),
        ("ld.cg.s32 %x0, [%in+8];", 0x0403_0201),
        ("ld.relaxed.sys.global.u64 %x0, [%in];", 0xf8e7_d6c5_b4a3_9281),
        ("ld.f32 %f0, [%in+8]; mov.b32 %r0, %f0; cvt.u64.u32 %x0, %r0;", 0x0403_0201),
        ("ld.f64 %d0, [%in+8]; mov.b64 %x0, %d0;", 0x0807_0605_0403_0201),
        ("ld.f16 %h0, [%in]; cvt.u64.u16 %x0, %h0;", 0x9281),
    ];
    for (body, expected) in cases {
        assert_eq!(uniform(body, &INPUT), expected, "{body}");
    }
}

#[test]
fn stores_touch_only_their_bytes() {
    let cases = [
        ("mov.u32 %r0, 0x1ff; st.u8 [%in+1], %r0;", 0xf8e7_d6c5_b4a3_ff81),
        ("mov.u16 %h0, 0x1234; st.u16 [%in+2], %h0;", 0xf8e7_d6c5_1234_9281),
        ("mov.u32 %r0, 7; st.global.u32 [%in+4], %r0;", 0x0000_0007_b4a3_9281),
        ("mov.u64 %x1, 7; st.u64 [%in], %x1;", 7),
        ("mov.f32 %f0, 0f3F800000; st.f32 [%in], %f0;", 0xf8e7_d6c5_3f80_0000),
        ("st.f64 [%in], 0d3FF0000000000000;", 0x3ff0_0000_0000_0000),
        ("st.volatile.u32 [%in], 1;", 0xf8e7_d6c5_0000_0001),
    ];
    for (body, expected) in cases {
        let body = format!("{body} ld.u64 %x0, [%in];");
        assert_eq!(uniform(&body, &INPUT), expected, "{body}");
    }
}

#[test]
fn vectors_are_components_in_a_row() {
    let cases = [
        (".reg .v2 .u32 %v; ld.v2.u32 %v, [%in]; cvt.u64.u32 %x0, %v.y;", 0xf8e7_d6c5),
        ("ld.v2.u32 {%r0, %r1}, [%in]; mov.b64 %x0, {%r1, %r0};", 0xb4a3_9281_f8e7_d6c5),
        ("ld.v2.u64 {%in, %x0}, [%in];", 0x0807_0605_0403_0201),
        ("ld.v4.u8 {%r0, %r1, %r2, %r3}, [%in]; cvt.u64.u32 %x0, %r3;", 0xb4),
        (
            ".reg .v2 .u32 %v; mov.v2.u32 %v, { 3, -1 }; st.v2.u32 [%in], %v; ld.u64 %x0, [%in];",
            0xffff_ffff_0000_0003,
        ),
        (
            ".reg .v2 .u32 %v, %w; mov.v2.u32 %v, {1, 2}; mov.v2.u32 %w, %v; mov.b64 %x0, %w;",
            0x0000_0002_0000_0001,
        ),
        (".reg .v2 .u32 %v; ld.u64 %x1, [%in]; mov.b64 %v, %x1; mov.b64 %x0, %v;", {
            0xf8e7_d6c5_b4a3_9281
        }),
        ("ld.u64 %x1, [%in]; mov.b64 {%r0, %r1}, %x1; cvt.u64.u32 %x0, %r1;", 0xf8e7_d6c5),
        ("ld.u32 %r0, [%in]; mov.b32 {%h0, %h1}, %r0; cvt.u64.u16 %x0, %h1;", 0xb4a3),
        (
            "mov.u16 %h0, 1; mov.u16 %h1, 2; mov.b32 %r0, {%h0, %h1}; cvt.u64.u32 %x0, %r0;",
            0x0002_0001,
        ),
        (
            "mov.u16 %h0, 1; mov.u16 %h1, 2; mov.b64 %x0, {%h0, %h1, %h1, %h0};",
            0x0001_0002_0002_0001,
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(uniform(body, &INPUT), expected, "{body}");
    }
}

#[test]
fn fences_and_pauses_change_nothing() {
    let body = "membar.cta; membar.gl; membar.sys; fence.sc.sys; fence.acq_rel.gpu;
                nanosleep.u32 20; mov.u64 %x0, 5;";
    assert_eq!(uniform(body, &[]), 5);
}

#[test]
fn clocks_advance() {
    for clock in [
        "mov.u64 %x1, %clock64; mov.u64 %x2, %clock64;",
        "mov.u32 %r1, %clock;
        mov.u32 %r2, %clock; cvt.u64.u32 %x1, %r1; cvt.u64.u32 %x2, %r2;",
    ] {
        let body = format!("{clock} setp.lt.u64 %p0, %x1, %x2; selp.u64 %x0, 1, 0, %p0;");
        assert_eq!(uniform(&body, &[]), 1);
    }
    assert!(uniform("mov.u64 %x0, %globaltimer;", &[]) > 1 << 60);
}

#[test]
fn lanes_load_and_store_for_themselves() {
    let body = "cvt.u64.u32 %x1, %l; and.b64 %x1, %x1, 7; add.u64 %x1, %in, %x1; ld.u8 %x0, [%x1];";
    let results = result(body, &INPUT);
    for (lane, &result) in results.iter().enumerate() {
        assert_eq!(result, u64::from(INPUT[lane % 8]));
    }
}

#[test]
fn the_last_lane_wins_a_store_to_one_address() {
    assert_eq!(uniform("cvt.u64.u32 %x1, %l; st.u64 [%in], %x1; ld.u64 %x0, [%in];", &[]), 31);
}

#[test]
fn shared_local_and_constant_memory() {
    let cases = [
        (
            ".shared .align 8 .u64 s[4]; mov.u64 %x1, 9; st.shared.u64 [s+24], %x1; \
             mov.u64 %x2, s; cvta.shared.u64 %x2, %x2; ld.u64 %x0, [%x2+24];",
            9,
        ),
        (
            ".shared .u32 s; mov.u64 %x1, s; cvta.shared.u64 %x1, %x1; st.u32 [%x1], 5; \
             cvta.to.shared.u64 %x2, %x1; ld.shared.u32 %x0, [%x2];",
            5,
        ),
        (
            ".local .align 8 .b8 a[16]; cvta.local.u64 %x1, a; st.u64 [%x1+8], 3; \
             ld.local.u64 %x0, [a+8];",
            3,
        ),
        (".const .u32 c[2] = { 1, 77 }; ld.const.u32 %x0, [c+4];", 77),
        (".const .u32 c[2] = { 1, 78 }; cvta.const.u64 %x1, c+4; ld.u32 %x0, [%x1];", 78),
        (
            ".shared .u32 s; mov.u64 %x1, s; cvta.shared.u64 %x1, %x1; isspacep.shared %p0, %x1; \
             isspacep.global %p1, %x1; selp.u64 %x0, 1, 0, %p0; @%p1 mov.u64 %x0, 2;",
            1,
        ),
        (
            "isspacep.global %p0, %in; isspacep.local %p1, %in; selp.u64 %x0, 1, 0, %p0; \
          @%p1 mov.u64 %x0, 2;",
            1,
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(uniform(body, &INPUT), expected, "{body}");
    }
}

#[test]
fn each_lane_has_its_own_local_memory() {
    let body = ".local .u64 a; cvt.u64.u32 %x1, %l; st.local.u64 [a], %x1; ld.local.u64 %x0, [a];";
    let results = result(body, &[]);
    assert!(results.iter().enumerate().all(|(lane, &result)| result == lane as u64));
}

#[test]
fn alloca_lasts_until_it_is_given_back() {
    let body = "stacksave.u64 %x3; mov.u64 %x4, 32; alloca.u64 %x1, %x4, 16; \
                st.local.u64 [%x1+24], 6; ld.local.u64 %x0, [%x1+24]; stackrestore.u64 %x3; \
                alloca.u64 %x2, %x4; setp.ne.u64 %p0, %x1, %x2; @%p0 mov.u64 %x0, 0;";
    assert_eq!(uniform(body, &[]), 6);
}

#[test]
fn special_registers() {
    let machine = Machine::new(
        ".visible .entry k (.param .u64 %a, .param .u64 %b)
        {
        .reg .u64 %out; .reg .u32 %t, %u, %n, %r;
        ld.param.u64 %out, [%a];
        mov.u32 %t, %tid.x; mov.u32 %u, %tid.y; mov.u32 %n, %ntid.x;
        mad.lo.u32 %t, %u, %n, %t;
        mov.u32 %n, %ntid.y; mov.u32 %u, %ctaid.x;
        mul.lo.u32 %u, %u, 48;
        add.u32 %t, %t, %u;
        mad.wide.u32 %out, %t, 4, %out;
        mov.u32 %r, %laneid;
        mov.u32 %u, %warpid; mad.lo.u32 %r, %u, 100, %r;
        mov.u32 %u, %nctaid.x; mad.lo.u32 %r, %u, 1000, %r;
        mov.u32 %u, %nwarpid; mad.lo.u32 %r, %u, 10000, %r;
        st.u32 [%out], %r;
        ret;
        }",
    );
    let out = machine.memory.allocate(4 * 96);
    let shape = Shape { grid: 2, block: [6, 8, 1], ..WARP };
    machine.run(shape, &[out, 0]).expect("no fault");
    for (thread, word) in machine.memory.words(out, 96).into_iter().enumerate() {
        let (warp, lane) = (thread % 48 / 32, thread % 48 % 32);
        assert_eq!(word as usize, 22_000 + 100 * warp + lane);
    }
}

#[test]
fn lane_masks_and_sizes() {
    type OfLane = fn(u32) -> u32;
    let lane_by_lane: [(&str, OfLane); 5] = [
        ("%lanemask_eq", |lane| 1 << lane),
        ("%lanemask_lt", |lane| (1 << lane) - 1),
        ("%lanemask_le", |lane| u32::MAX >> (31 - lane)),
        ("%lanemask_gt", |lane| !(u32::MAX >> (31 - lane))),
        ("%lanemask_ge", |lane| u32::MAX << lane),
    ];
    for (name, expected) in lane_by_lane {
        let machine = Machine::kernel(&format!("mov.u32 %r0, {name}; st.u32 [%out], %r0;"));
        let expected: Vec<u32> = (0..32).map(expected).collect();
        assert_eq!(machine.words(32), expected, "{name}");
    }
    let machine = Machine::kernel("mov.u32 %r0, %dynamic_smem_size; st.u32 [%out], %r0;");
    let out = machine.memory.allocate(4 * 32);
    machine.run(Shape { shared: 640, ..WARP }, &[out, 0]).expect("no fault");
    assert_eq!(machine.memory.words(out, 1), [640]);
}

#[test]
fn dynamic_shared_memory_has_the_size_of_the_launch() {
    let machine = Machine::new(
        ".extern .shared .align 8 .b8 pool[];
        .visible .entry k (.param .u64 %a, .param .u64 %b)
        {
        .reg .u64 %out; .reg .u32 %r;
        ld.param.u64 %out, [%a];
        st.shared.u32 [pool+60], 8;
        ld.shared.u32 %r, [pool+60];
        st.u32 [%out], %r;
        ret;
        }",
    );
    let out = machine.memory.allocate(4 * 32);
    machine.run(Shape { shared: 64, ..WARP }, &[out, 0]).expect("no fault");
    assert_eq!(machine.memory.words(out, 1), [8]);
    let fault = machine.run(Shape { shared: 60, ..WARP }, &[out, 0]).expect_err("too small");
    assert!(fault.reason.ends_with("outside of all shared variables"), "{fault}");
}

#[test]
fn array_parameters_are_bytes() {
    let machine = Machine::new(
        ".visible .entry k (.param .u64 %a, .param .align 8 .b8 %s[20])
        {
        .reg .u64 %out; .reg .u32 %r; .reg .u16 %h;
        ld.param.u64 %out, [%a];
        ld.param.u32 %r, [%s+12]; st.u32 [%out], %r;
        ld.param.s8 %r, [%s+3]; st.u32 [%out+4], %r;
        ld.param.u16 %h, [%s+18]; st.u16 [%out+8], %h;
        ret;
        }",
    );
    let entry = machine.program.entry("k").expect("k");
    assert_eq!(machine.program.parameter_sizes(entry), [(0, 8), (8, 20)]);
    let out = machine.memory.allocate(16);
    let parameters = [out, 0x8000_0000_0000_0000 >> 32, 0x0000_0007 << 32, 0xabcd_0000];
    machine.run(WARP, &parameters).expect("no fault");
    assert_eq!(machine.memory.words(out, 3), [7, 0xffff_ff80, 0xabcd]);
    assert_eq!(machine.memory.translate(0, 1, softcuda_ptx::Access::Read).ok(), None);
}
