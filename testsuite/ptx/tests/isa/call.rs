//! PTX ISA 9.7.12.5 and 9.7.12.6: functions.

use crate::machine::Machine;

const FUNCTIONS: &str = "
.func (.param .u32 %value_out) double (.param .u32 %in_ar0)
{
.reg .u32 %a; ld.param.u32 %a, [%in_ar0]; add.u32 %a, %a, %a;
st.param.u32 [%value_out], %a; ret;
}
.func (.param .u32 %value_out) triple (.param .u32 %in_ar0)
{
.reg .u32 %a; ld.param.u32 %a, [%in_ar0]; mul.lo.u32 %a, %a, 3;
st.param.u32 [%value_out], %a; ret;
}
.func (.param .u32 %value_out) factorial (.param .u32 %in_ar0)
{
.reg .u32 %a, %b, %r; .reg .pred %p;
ld.param.u32 %a, [%in_ar0];
mov.u32 %r, 1;
setp.le.u32 %p, %a, 1;
@%p bra $end;
sub.u32 %b, %a, 1;
{
.param .u32 %value_in;
.param .u32 %out_arg1;
st.param.u32 [%out_arg1], %b;
call (%value_in), factorial, (%out_arg1);
ld.param.u32 %r, [%value_in];
}
mul.lo.u32 %r, %r, %a;
$end: st.param.u32 [%value_out], %r;
ret;
}
.func (.param .align 8 .b8 %value_out[16]) swap (.param .align 8 .b8 %s[16])
{
.reg .u32 %a, %b; .reg .u64 %c;
ld.param.u32 %a, [%s]; ld.param.u32 %b, [%s+4]; ld.param.u64 %c, [%s+8];
st.param.u32 [%value_out], %b; st.param.u32 [%value_out+4], %a; st.param.u64 [%value_out+8], %c;
ret;
}
.func nothing { ret; }
.global .u64 table[2] = { double, triple };
";

/// What threads store after `body`, which leaves it in `%r0`.
fn words(body: &str) -> Vec<u32> {
    let kernel = format!(
        "{FUNCTIONS}
        .visible .entry k (.param .u64 %a, .param .u64 %b)
        {{
        .reg .u64 %out, %f, %i; .reg .u32 %l, %r0, %r1; .reg .pred %p;
        ld.param.u64 %out, [%a];
        mov.u32 %l, %laneid;
        mad.wide.u32 %out, %l, 4, %out;
        {{ {body} }}
        st.u32 [%out], %r0;
        ret;
        }}"
    );
    Machine::new(&kernel).words(32)
}

fn each(value: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(value).collect()
}

const CALL: &str = "
    .param .u32 %value_in; .param .u32 %out_arg1;
    st.param.u32 [%out_arg1], %l;";

#[test]
fn a_value_goes_in_and_one_comes_back() {
    let body =
        format!("{CALL} call (%value_in), double, (%out_arg1); ld.param.u32 %r0, [%value_in];");
    assert_eq!(words(&body), each(|lane| 2 * lane));
}

#[test]
fn only_lanes_with_the_predicate_call() {
    let body = format!(
        "{CALL} mov.u32 %r0, 7; setp.lt.u32 %p, %l, 3;
        @%p call (%value_in), triple, (%out_arg1);
        @%p ld.param.u32 %r0, [%value_in];"
    );
    assert_eq!(words(&body), each(|lane| if lane < 3 { 3 * lane } else { 7 }));
}

#[test]
fn lanes_recurse_to_different_depths() {
    let body = "
        .param .u32 %value_in; .param .u32 %out_arg1;
        and.b32 %r1, %l, 7;
        st.param.u32 [%out_arg1], %r1;
        call (%value_in), factorial, (%out_arg1);
        ld.param.u32 %r0, [%value_in];";
    assert_eq!(words(body), each(|lane| (1..=lane & 7).product()));
}

#[test]
fn lanes_call_different_functions() {
    let body = format!(
        "{CALL}
        $proto: .callprototype (.param .u32 %value_out) _ (.param .u32 %in_ar0);
        and.b32 %r1, %l, 1;
        cvta.global.u64 %f, table;
        mad.wide.u32 %f, %r1, 8, %f;
        ld.u64 %f, [%f];
        call (%value_in), %f, (%out_arg1), $proto;
        ld.param.u32 %r0, [%value_in];"
    );
    assert_eq!(words(&body), each(|lane| lane * (2 + lane % 2)));
}

#[test]
fn arrays_are_passed_by_value() {
    let body = "
        .param .align 8 .b8 %value_in[16]; .param .align 8 .b8 %s[16];
        st.param.u32 [%s], %l; st.param.u32 [%s+4], 9; st.param.u64 [%s+8], 5;
        call (%value_in), swap, (%s);
        ld.param.u32 %r0, [%value_in+4]; ld.param.u32 %r1, [%value_in];
        mad.lo.u32 %r0, %r0, 100, %r1;
        ld.param.u32 %r1, [%value_in+8]; mad.lo.u32 %r0, %r1, 10000, %r0;";
    assert_eq!(words(body), each(|lane| 50_000 + 100 * lane + 9));
}

#[test]
fn functions_without_parameters() {
    assert_eq!(words("mov.u32 %r0, 4; call nothing;"), [4; 32]);
    assert_eq!(
        words("mov.u32 %r0, 4; mov.u64 %f, nothing; $p: .callprototype _; call %f, $p;"),
        [4; 32]
    );
}

#[test]
fn families_of_parameters_as_in_kernel_stubs() {
    let body = "
        .param .u32 %P<2>;
        st.param.u32 [%P0], %l;
        call.uni (%P1), double, (%P0);
        ld.param.u32 %r0, [%P1];";
    assert_eq!(words(body), each(|lane| 2 * lane));
}

#[test]
fn malloc_and_free_are_supplied() {
    let machine = Machine::kernel(
        "{
        .param .u64 %value_in; .param .u64 %out_arg1;
        st.param.u64 [%out_arg1], 16;
        call (%value_in), malloc, (%out_arg1);
        ld.param.u64 %x0, [%value_in];
        st.u32 [%x0], %l; ld.u32 %r0, [%x0]; st.u32 [%out], %r0;
        st.param.u64 [%out_arg1], %x0;
        call free, (%out_arg1);
        }",
    );
    assert_eq!(machine.words(32), each(|lane| lane));
    assert_eq!(machine.memory.freed.lock().expect("lock").len(), 32);
}

#[test]
fn calls_that_cannot_be() {
    let bodies = [
        "mov.u64 %x0, 16; $p: .callprototype _; call %x0, $p;",
        ".param .u32 %a; call nothing, (%a);",
        ".param .u32 %a; call (%a), nothing;",
        "call endless;",
    ];
    let functions = ".func nothing { ret; }\n.func endless { call endless; ret; }\n";
    let faults = bodies.map(|body| {
        let text = format!(
            "{functions}.visible .entry k (.param .u64 %p, .param .u64 %q)\n\
             {{ .reg .u64 %x0; {body} ret; }}"
        );
        Machine::new(&text).fault()
    });
    insta::assert_snapshot!(faults.join("\n"));
}
