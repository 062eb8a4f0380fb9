//! What the parser makes of declarations and instructions, and of mistakes.

use super::*;
use crate::{LineIndex, print};
use proptest::prelude::*;

const HEAD: &str = ".version 9.0\n.target sm_90, debug\n.address_size 64\n";

/// Parses a text that has no errors, and hands the tree over.
fn with_module<T>(text: &str, look: impl FnOnce(Module<'_>) -> T) -> T {
    let arena = Arena::default();
    let parsed = parse(text, &arena);
    let messages: Vec<_> =
        parsed.errors.iter().map(|error| error.message_with_line(text)).collect();
    assert!(messages.is_empty(), "{messages:?}\n{text}");
    look(parsed.module)
}

fn body_of(statements: &str) -> Vec<String> {
    with_module(&format!("{HEAD}.visible .entry k()\n{{\n{statements}\n}}\n"), |module| {
        let body = module.functions().next().unwrap().body.unwrap();
        body.iter().map(|statement| format!("{statement:?}")).collect()
    })
}

fn errors_of(text: &str) -> Vec<String> {
    let arena = Arena::default();
    let errors = parse(text, &arena).errors;
    errors.iter().take(10).map(|error| error.message_with_line(text)).collect()
}

#[test]
fn a_guarded_load_has_all_its_parts() {
    let text =
        format!("{HEAD}.func f() {{ @!%p1 ld.volatile.global.v2.u32 {{%r1,%r2}}, [%rd1+-8]; }}");
    with_module(&text, |module| {
        let load = module.instructions().next().unwrap();
        assert_eq!(load.guard, Some(&Guard { register: "%p1", negated: true }));
        assert_eq!(load.opcode(), "ld");
        assert_eq!(load.modifiers(), ["volatile", "global", "v2", "u32"]);
        assert_eq!(
            load.operands[0],
            Operand::Vector(&[Operand::Name("%r1"), Operand::Name("%r2")])
        );
        let address = Address {
            base: AddressBase::Name("%rd1"),
            offset: -8,
            has_offset: true,
            further: &[],
            is_unified: false,
        };
        assert_eq!(load.operands[1], Operand::Address(&address));
        assert_eq!(load.span.text(&text), "@!%p1 ld.volatile.global.v2.u32 {%r1,%r2}, [%rd1+-8]");
        assert!(load.is_known());
    });
}

#[test]
fn special_registers_keep_their_dimension() {
    assert!(body_of("mov.u32 %r1, %tid.x;")[0].contains("Name(\"%tid.x\")"));
}

#[test]
fn calls_pairs_and_coordinates_parse() {
    let call = &body_of("call.uni (retval0), f, (param0, param1);")[0];
    assert!(call.contains("List([Name(\"retval0\")])"), "{call}");
    let pair = &body_of("setp.lt.and.s32 %p1|%p2, %r1, 0x10U, !%p3;")[0];
    assert!(pair.contains("Pair((Name(\"%p1\"), Name(\"%p2\")))"), "{pair}");
    assert!(pair.contains("text: \"0x10U\""), "{pair}");
    assert!(pair.contains("Not(\"%p3\")"), "{pair}");
    let texture = &body_of("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];")[0];
    assert!(texture.contains("further: [Vector([Name(\"%f5\"), Name(\"%f6\")])]"), "{texture}");
}

#[test]
fn labels_prototypes_and_scopes_parse() {
    let body = body_of(
        "$L1: { .reg .b64 %tmp; cvta.shared.u64 %rd1, %tmp; }\n\
         proto: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;\n\
         ts: .branchtargets $L1, $L1;\n.loc 1 7 3\n\
         .loc 2 112 3, function_name $L__info_string1+4, inlined_at 1 13 3\nret;",
    );
    assert!(body[0].contains("name: \"$L1\""), "{}", body[0]);
    assert!(body[1].starts_with("Block("));
    assert!(body[2].contains("label: \"proto\"") && body[2].contains(".noreturn"), "{}", body[2]);
    assert!(body[3].contains("names: [\"$L1\", \"$L1\"]"), "{}", body[3]);
    assert!(body[5].contains("$L__info_string1\", offset: 4"), "{}", body[5]);
}

#[test]
fn variables_keep_linkage_attributes_and_initial_values() {
    let text = format!(
        "{HEAD}.global .align 8 .u64 table[2] = {{generic(done)+4, 7}};\n\
         .visible .const .align 4 .b8 c[2][3] = {{{{1, 2, 3}}, {{4, 5, 6}}}};\n\
         .extern .shared .align 16 .b8 dynamic[];\n.weak .global .attribute(.managed) .u32 done;\n\
         .global .samplerref s = {{ addr_mode_0 = clamp_to_border, filter_mode = nearest }};\n\
         .global .u8 split[2] = {{0xFF(done), 0xFF00(done)}};\n"
    );
    with_module(&text, |module| {
        let variables: Vec<_> = module.variables().collect();
        let initial = variables[0].initial.unwrap();
        assert!(
            format!("{initial:?}").contains("Generic(NameOffset((\"done\", 4)))"),
            "{initial:?}"
        );
        assert_eq!(variables[1].extents, [Some(2), Some(3)]);
        assert_eq!(variables[1].linkage, Linkage::Visible);
        assert_eq!((variables[2].linkage, variables[2].extents), (Linkage::Extern, &[None][..]));
        assert!(variables[3].has_attribute(".managed"));
        assert!(format!("{:?}", variables[4].initial).contains("Setting((\"filter_mode\""));
        assert!(format!("{:?}", variables[5].initial).contains("Mask((Number"));
    });
}

#[test]
fn modifiers_in_any_order_are_known_and_blanks_do_not_matter() {
    let text = format!(
        "{HEAD}.func f() {{ ld.u32.global %r1, [%rd1]; add /* why */ .u32 %r1, %r2, %r3; }}"
    );
    with_module(&text, |module| {
        let all: Vec<_> = module.instructions().collect();
        assert!(all.iter().all(|instruction| instruction.is_known()), "{all:?}");
        assert_eq!(all[1].mnemonic.text, "add.u32");
    });
}

#[test]
fn an_unknown_instruction_is_kept_printed_and_listed() {
    let text = format!(
        "{HEAD}.func f() {{ frob.global.u32 %r1, [%rd1], {{%r2, 7}}; add.wobbly.u32 %r1, %r2, %r3; \
         add.u32 %r1, [%r2], %r3, %r4, %r5; ret; }}"
    );
    let document = crate::Document::parse(text);
    assert_eq!(document.errors(), []);
    let unknown: Vec<_> = document.unknown().iter().map(|i| i.mnemonic.text).collect();
    assert_eq!(unknown, ["frob.global.u32", "add.wobbly.u32", "add.u32"]);
    let printed = print(&document.module());
    assert!(printed.contains("frob.global.u32 %r1, [%rd1], {%r2, 7};"), "{printed}");
}

#[test]
fn constant_expressions_have_their_value() {
    let text = format!(
        "{HEAD}.global .u32 a[4*(2+1)];\n.func f() {{ mov.u32 %r1, 1<<4|3; mov.u32 %r2, -7; \
         ld.u32 %r1, [%rd1+4*WARP_SZ]; mov.u32 %r3, (2 > 1) ? 5 : 6; mov.u32 %r3, ~0; \
         mov.u32 %r3, !5; mov.u32 %r3, (.s64)3; mov.u32 %r3, (1+2)*4; mov.u32 %r3, 7 % 4; }}"
    );
    with_module(&text, |module| {
        assert_eq!(module.variables().next().unwrap().extents, [Some(12)]);
        let operands: Vec<_> = module.instructions().map(|i| i.operands[1]).collect();
        let value = |operand: &Operand<'_>| match operand {
            Operand::Expression(expression) => expression.value,
            Operand::Integer(number) => number.integer().unwrap(),
            Operand::Address(address) => address.offset as u64,
            other => panic!("{other:?}"),
        };
        let values: Vec<_> = operands.iter().map(value).collect();
        assert_eq!(values, [19, u64::MAX - 6, 128, 5, u64::MAX, 0, 3, 12, 3]);
    });
}

#[test]
fn every_error_is_reported_with_its_line_and_what_was_expected() {
    let text = format!(
        "{HEAD}.visible .entry k()\n{{\nadd.s32 %r1, , 3;\nmov.u32 %r2, 1;\nld.u32 %r1, [];\n\
         mov.u32 %r1, 0x11111111111111111;\nret;\n}}\n"
    );
    assert_eq!(
        errors_of(&text),
        [
            "line 6: expected an operand, found `,`",
            "line 8: expected a register, a variable or a number, found `]`",
            "line 9: expected an integer of at most 64 bits, found `0x11111111111111111`",
        ]
    );
    let arena = Arena::default();
    assert_eq!(parse(&text, &arena).module.instructions().count(), 2, "the rest was read");
}

#[test]
fn text_that_is_not_ptx_is_an_error_and_no_panic() {
    for text in ["", "hello", "{", ".version", ".entry", "\u{0}", "é", "@@@@", ".section .x {"] {
        assert!(!errors_of(text).is_empty(), "{text:?}");
    }
    for repeated in [
        "{",
        "mov.u32 %r1, generic(",
        "ld.u32 %r1, [a,",
        "call (",
        ".reg .b32 %r<4294967298>;",
        "mov.u32 %r1, -",
        "mov.u32 %r1, 1+(",
        "mov.u32 %r1, 1?",
    ] {
        let deep = format!("{HEAD}.func f() {{ {}", repeated.repeat(20_000));
        assert!(!errors_of(&deep).is_empty(), "{repeated}");
    }
    for deep in ["generic(", "-", "~", "1+(", "1?"] {
        let text = format!("{HEAD}.func f() {{ mov.u32 %r1, {}", deep.repeat(200_000));
        assert!(!errors_of(&text).is_empty());
    }
}

#[test]
fn every_example_of_the_table_is_known_and_printed_back() {
    let mut count = 0;
    for (row, _, example) in crate::table::examples() {
        let text = format!("{HEAD}.func f() {{ {example}; }}");
        with_module(&text, |module| {
            let instruction = Instructions::of(module.functions().next().unwrap().body.unwrap())
                .last()
                .unwrap_or_else(|| panic!("{example}"));
            assert!(instruction.is_known(), "{example}");
            assert_eq!(instruction.mnemonic.row.unwrap().name, row.name, "{example}");
            let squeezed = |text: &str| text.replace([' ', '\t', '\n'], "");
            let printed = crate::print_instruction(instruction);
            assert_eq!(squeezed(&printed), squeezed(instruction.span.text(&text)));
        });
        count += 1;
    }
    assert!(count > 300, "{count}");
}

/// Texts that once printed as something else than they were read as.
#[test]
fn what_is_printed_reads_as_the_same_tree() {
    for text in [
        ".entry k() .pragma{ ll f; ret; }",
        ".entry k() .pragma \"a\"; ;",
        ".entry k() .maxntid 1 \"a\"; .func g();",
    ] {
        let text = format!("{HEAD}{text}");
        let arena = Arena::default();
        let printed = print(&parse(&text, &arena).module);
        let second = Arena::default();
        let again = parse(&printed, &second);
        assert_eq!(again.errors, [], "{printed}");
        assert_eq!(print(&again.module), printed);
    }
}

proptest! {
    /// Pieces of PTX in any order: no panic, errors lie inside the text, and what is printed reads
    /// as the same tree.
    #[test]
    fn any_mixture_of_tokens_is_survived(pieces in proptest::collection::vec(0usize..PIECES.len(), 0..60)) {
        let mut text = format!("{HEAD}.visible .entry k()\n{{\n");
        for piece in pieces {
            text.push_str(PIECES[piece]);
            text.push(' ');
        }
        text.push_str("}\n");
        let arena = Arena::default();
        let parsed = parse(&text, &arena);
        let lines = LineIndex::new(&text);
        for error in &parsed.errors {
            prop_assert!(error.span.end as usize <= text.len());
            prop_assert!(lines.line(error.span.start) >= 1);
        }
        let printed = print(&parsed.module);
        let second = Arena::default();
        let again = parse(&printed, &second);
        prop_assert!(again.errors.is_empty(), "{:?}\n{printed}", again.errors);
        prop_assert_eq!(print(&again.module), printed);
    }

    /// Arbitrary characters.
    #[test]
    fn any_text_is_survived(text in "\\PC{0,200}") {
        let arena = Arena::default();
        let parsed = parse(&text, &arena);
        for error in &parsed.errors {
            let _ = error.message_with_line(&text);
        }
    }
}

const PIECES: &[&str] = &[
    ";",
    ",",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "@",
    "!",
    "|",
    "+",
    "-",
    "<",
    ">",
    "=",
    ":",
    "_",
    "%",
    "%r1",
    "%p1",
    "$L",
    "f",
    "7",
    "0x1F",
    "0f3F800000",
    "1.5",
    "\"s\"",
    ".loc 1 2 3",
    ".reg .b32 %r<4>",
    ".shared .align 4 .b8 s[4]",
    ".pragma \"a\"",
    "ret",
    "ld.global.u32",
    "add.s32 %r1, %r2, 3;",
    "call (a), f, (b);",
    "bra $L;",
    "$L:",
    ".callprototype",
    ".branchtargets",
    "generic(",
    "*",
    "/",
    "~",
    "?",
    "&",
    "^",
    ".visible",
    ".entry k()",
    ".func",
    ".section .d {",
    "@@dwarf",
    ".u32",
    "é",
    "mov.b64 {%r1, %r2}, %rd1;",
    "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5,%f6}];",
];

#[test]
fn a_text_of_errors_takes_no_memory_for_all_of_them() {
    let text = format!(".version 9.0\n.target sm_90\n.func f()\n{{\n{}}}\n", ")(;".repeat(1 << 20));
    let document = crate::Document::parse(text);
    let errors = document.errors();
    assert!(errors.len() < 10_100, "{}", errors.len());
    let last_words = |error: &SyntaxError| error.expected.contains("the rest is not read");
    assert!(errors.iter().any(last_words));
    assert!(errors.is_sorted_by_key(|error| error.span.start));
}
