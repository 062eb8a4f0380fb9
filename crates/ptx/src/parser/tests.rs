use super::*;

const HEAD: &str = ".version 9.0\n.target sm_90, debug\n.address_size 64\n";

fn body_of(statements: &str) -> Vec<String> {
    let text = format!("{HEAD}.visible .entry k()\n{{\n{statements}\n}}\n");
    let parsed = parse(&text);
    assert_eq!(parsed.errors, [], "{text}");
    let body = parsed.module.functions[0].body.as_ref().unwrap();
    body.iter().map(|statement| format!("{statement:?}")).collect()
}

fn only_instruction(text: &str) -> String {
    body_of(text).pop().unwrap()
}

#[test]
fn a_guarded_load_has_all_its_parts() {
    let text =
        format!("{HEAD}.func f() {{ @!%p1 ld.volatile.global.v2.u32 {{%r1,%r2}}, [%rd1+-8]; }}");
    let parsed = parse(&text);
    assert_eq!(parsed.errors, []);
    let Statement::Instruction(load) = &parsed.module.functions[0].body.as_ref().unwrap()[0] else {
        panic!("not an instruction");
    };
    assert_eq!(load.guard, Some(Guard { register: "%p1", negated: true }));
    assert_eq!(load.opcode, "ld");
    assert_eq!(load.modifiers, ["volatile", "global", "v2", "u32"]);
    assert_eq!(load.operands[0], Operand::Vector(vec![Operand::Name("%r1"), Operand::Name("%r2")]));
    assert_eq!(load.operands[1], Operand::Address { base: AddressBase::Name("%rd1"), offset: -8 });
    assert_eq!(&text[load.span.clone()], "@!%p1 ld.volatile.global.v2.u32 {%r1,%r2}, [%rd1+-8]");
}

#[test]
fn special_registers_keep_their_dimension() {
    assert!(only_instruction("mov.u32 %r1, %tid.x;").contains("Name(\"%tid.x\")"));
}

#[test]
fn calls_and_pairs_parse() {
    let call = only_instruction("call.uni (retval0), f, (param0, param1);");
    assert!(call.contains("List([Name(\"retval0\")])"), "{call}");
    let pair = only_instruction("setp.lt.and.s32 %p1|%p2, %r1, 0x10U, !%p3;");
    assert!(pair.contains("Pair(Name(\"%p1\"), Name(\"%p2\"))"), "{pair}");
    assert!(pair.contains("Integer(16)"), "{pair}");
    assert!(pair.contains("Not(\"%p3\")"), "{pair}");
}

#[test]
fn labels_prototypes_and_scopes_parse() {
    let body = body_of(
        "$L1: { .reg .b64 %tmp; cvta.shared.u64 %rd1, %tmp; }\n\
         proto: .callprototype (.param .b32 _) _ (.param .b64 _);\n\
         ts: .branchtargets $L1, $L1;\n.loc 1 7 3\n\
         .loc 2 112 3, function_name $L__info_string1, inlined_at 1 13 3\nret;",
    );
    assert_eq!(body[0], "Label(\"$L1\")");
    assert!(body[1].starts_with("Block("));
    assert_eq!(body[2], "CallPrototype(\"proto\")");
    assert!(body[5].contains("inlined: Some((\"$L__info_string1\", (1, 13, 3)))"), "{}", body[5]);
}

#[test]
fn module_variables_and_debug_strings_are_kept() {
    let text = format!(
        "{HEAD}.global .align 8 .u64 table[2] = {{generic(done), 7}};\n.visible .const .align 4 .b8 c[3] = {{1, 2, 3}};\n\
         .extern .shared .align 16 .b8 dynamic[];\n.global .align 4 .u32 done;\n\
         .file 1 \"a.cu\"\n.section .debug_str {{\n$L__info_string0:\n.b8 95,90,0\n}}\n"
    );
    let parsed = parse(&text);
    assert_eq!(parsed.errors, []);
    let variables = &parsed.module.variables;
    assert_eq!(variables[0].initial, [Operand::Name("done"), Operand::Integer(7)]);
    assert_eq!(variables[1].extents, [3]);
    assert!(variables[2].external && variables[2].extents == [0]);
    assert_eq!(parsed.module.files[&1], "a.cu");
    assert_eq!(parsed.module.debug_strings["$L__info_string0"], "_Z");
}

#[test]
fn every_error_is_reported_with_its_line_and_what_was_expected() {
    let text = format!(
        "{HEAD}.visible .entry k()\n{{\nadd.s32 %r1, , 3;\nmov.u32 %r2, 1;\nld.u32 %r1, [];\nret;\n}}\n"
    );
    let parsed = parse(&text);
    let told: Vec<_> = parsed.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "line 6: expected an operand, found `,`",
            "line 8: expected a register, a variable or a number, found `]`"
        ]
    );
    assert_eq!(parsed.module.functions[0].body.as_ref().unwrap().len(), 2, "the rest was read");
}

#[test]
fn text_that_is_not_ptx_is_an_error_and_no_panic() {
    for text in ["", "hello", "{", ".version", ".entry", "\u{0}", "@@@@", ".section .x {"] {
        assert!(!parse(text).errors.is_empty(), "{text:?}");
    }
    for repeated in
        ["{", "mov.u32 %r1, generic(", "ld.u32 %r1, [a,", "call (", ".reg .b32 %r<4294967298>;"]
    {
        let deep = format!("{HEAD}.func f() {{ {}", repeated.repeat(50_000));
        assert!(!parse(&deep).errors.is_empty(), "{repeated}");
    }
    let nested = format!("{HEAD}.func f() {{ mov.u32 %r1, {}", "generic(".repeat(200_000));
    assert!(!parse(&nested).errors.is_empty());
}
