use crate::{Arena, parse, print};

fn printed(text: &str) -> String {
    let arena = Arena::default();
    let parsed = parse(text, &arena);
    let messages: Vec<_> =
        parsed.errors.iter().map(|error| error.message_with_line(text)).collect();
    assert!(messages.is_empty(), "{messages:?}");
    print(&parsed.module)
}

/// A text with every form that the tree knows, as the printer writes it.
const EVERYTHING: &str = "\
.version 9.0
.target sm_90a, debug, texmode_independent
.address_size 64
.file 1 \"a.cu\", 1700000000, 4711
.file 2 \"b.cuh\"
.pragma \"enable_smem_spilling\", \"other\";
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b)
;
.extern .shared .align 16 .b8 dynamic[];
.visible .const .align 4 .v2 .f32 c[2][3] = {{0f3F800000, -1.5, 2.0}, {1, 2, 3}};
.weak .global .attribute(.managed) .align 8 .u64 table[3] = {generic(f), other+8, generic(other)+4};
.common .global .u32 other;
.global .samplerref s = {addr_mode_0 = clamp_to_border, force_unnormalized_coords = 1};
.global .u8 split[2] = {0xFF(other), 0xFF00(other)};
.alias g, f;
.func .attribute(.unified(1, 2)) (.reg .b32 result) f(.reg .b32 a)
.noreturn \n{
\tmov.b32 result, a;
\tret;
}
.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 q[16])
.maxntid 128, 1, 1
.minnctapersm 2
.pragma \"nounroll\";
{
\t.reg .pred %p<3>;
\t.reg .b32 %r<9>, x;
\t.reg .v4 .f32 quad;
\t.local .align 8 .b8 depot[24];
\t.loc 1 7 3
\t.loc 2 12 5, function_name $L__info_string0+2, inlined_at 1 7 3
$L1:
\t@!%p1 ld.volatile.global.v2.u32 {%r1, %r2}, [%rd1+-8];
\tsetp.lt.and.s32 %p1|%p2, %r1, 0x10U, !%p2;
\tmov.u32 %r1, 1<<4|3;
\tvmad.s32.s32.s32 %r1, %r2.b0, -%r3.h1, %r4;
\t.pragma \"used_bytes_mask 0xfff\";
\t{
\t\t.param .b64 param0;
\t\tcall.uni (retval0), f, (param0, 1), proto;
\t}
\ttex.2d.v4.f32.f32 {%f1, %f2, %f3, _}, [%rd1, {%f5, %f6}];
\tld.param.u32 %r1, [16];
\tld.local.u32 %r1, [%SP+0];
\tld.local.u32 %r1, [%SP];
\tts: .branchtargets $L1, $L2;
\tcs: .calltargets f, g;
\tproto: .callprototype (.param .b32 _) _ (.param .b64 _)
.noreturn ;
\tbrx.idx %r1, ts;
$L2:
\tret;
}
.section .debug_str
{
$L__info_string0:
.b8 95, 90, 0
.b64 $L1
.b32 .debug_abbrev+4
.b16 $L2-$L1
.b32 -1
}
";

#[test]
fn everything_is_printed_as_it_was_read() {
    assert_eq!(printed(EVERYTHING), EVERYTHING);
}

#[test]
fn an_expression_loses_its_comments_and_nothing_else() {
    let text = ".version 9.0\n.target sm_90\n.func f()\n{\n\tmov.u32 a, (1<<4)/2;\n\tmov.u32 b, 3 /* c */\n << 2;\n}\n";
    let plain = ".version 9.0\n.target sm_90\n.func f()\n{\n\tmov.u32 a, (1<<4)/2;\n\tmov.u32 b, 3 << 2;\n}\n";
    assert_eq!(printed(text), plain);
}

#[test]
fn blanks_comments_and_lists_of_variables_become_the_plain_form() {
    let text = ".version 9.0 // why\n.target sm_90\n.global .u32 a, b /* two */;.func f(){ret;;}";
    let plain =
        ".version 9.0\n.target sm_90\n.global .u32 a;\n.global .u32 b;\n.func f()\n{\n\tret;\n}\n";
    assert_eq!(printed(text), plain);
}
