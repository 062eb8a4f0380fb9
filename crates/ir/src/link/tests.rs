//! Units that are linked, and those that do not fit together.

use super::*;
use warpsan_ptx::Document;

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// Links texts that are named `a.cu`, `b.cu` and so on.
fn link_whole(texts: &[String]) -> Result<Linked, LinkError> {
    let names = ["a.cu", "b.cu", "c.cu"];
    let documents: Vec<_> = texts.iter().map(|text| Document::parse(text.clone())).collect();
    for document in &documents {
        let messages =
            document.errors().iter().map(|error| error.message_with_line(document.text()));
        assert_eq!(messages.collect::<Vec<_>>(), Vec::<String>::new());
    }
    let units = names.iter().zip(&documents);
    let units: Vec<_> =
        units.map(|(name, document)| Unit { name, module: document.module() }).collect();
    link(&units)
}

fn with_heads(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| format!("{HEAD}{text}")).collect()
}

/// The linked text behind the head; it must be PTX.
fn linked(texts: &[&str]) -> String {
    let linked = link_whole(&with_heads(texts)).unwrap_or_else(|error| panic!("{error}"));
    let again = Document::parse(linked.text.clone());
    assert_eq!(again.errors(), [], "{}", linked.text);
    linked.text.strip_prefix(HEAD).expect("the head").to_owned()
}

fn problems(texts: &[&str]) -> Vec<String> {
    let error = link_whole(&with_heads(texts)).expect_err("a link error");
    error.problems.iter().map(LinkProblem::to_string).collect()
}

fn assert_order(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        match text[from..].find(part) {
            Some(at) => from += at + part.len(),
            None => panic!("{part:?} is not behind the parts before it in\n{text}"),
        }
    }
}

#[test]
fn calls_in_a_circle_find_declarations_in_front_of_all_definitions() {
    let text = linked(&[
        ".extern .func (.param .b32 r) g(.param .b32 x);\n\
         .visible .func (.param .b32 r) f(.param .b32 x) { call (r), g, (x); ret; }",
        ".extern .func (.param .b32 r) f(.param .b32 x);\n\
         .visible .func (.param .b32 r) g(.param .b32 x) { call (r), f, (x); ret; }",
    ]);
    assert!(!text.contains(".extern"), "{text}");
    assert_order(
        &text,
        &[
            ".visible .func (.param .b32 r) f(.param .b32 x)\n;",
            ".visible .func (.param .b32 r) g(.param .b32 x)\n;",
            "f(.param .b32 x)\n{",
            "call (r), g, (x);",
            "g(.param .b32 x)\n{",
        ],
    );
}

#[test]
fn two_visible_definitions_are_an_error_that_names_both_units() {
    let function = ".visible .func f() { ret; }";
    assert_eq!(problems(&[function, function]), ["`f` is defined in a.cu and again in b.cu"]);
    let variable = ".visible .global .u32 v = 1;";
    assert_eq!(problems(&[variable, variable]), ["`v` is defined in a.cu and again in b.cu"]);
    let kernel = ".visible .entry k() { ret; }";
    assert_eq!(problems(&[kernel, kernel]), ["`k` is defined in a.cu and again in b.cu"]);
}

#[test]
fn the_same_unit_twice_is_an_error_for_each_visible_name() {
    let unit = ".visible .global .u32 v;\n.weak .func w() { ret; }\n.visible .entry k() { ret; }";
    assert_eq!(
        problems(&[unit, unit]),
        ["`v` is defined in a.cu and again in b.cu", "`k` is defined in a.cu and again in b.cu"]
    );
}

#[test]
fn of_weak_definitions_the_first_is_kept() {
    let text = linked(&[
        ".weak .func f() { bar.sync 1; ret; }\n.weak .global .u32 v = 1;",
        ".weak .func f() { bar.sync 2; ret; }\n.weak .global .u32 v = 2;",
    ]);
    assert!(text.contains("bar.sync 1") && !text.contains("bar.sync 2"), "{text}");
    assert!(text.contains(".weak .global .u32 v = 1;") && !text.contains("= 2"), "{text}");
}

#[test]
fn a_visible_definition_beats_weak_ones_wherever_it_stands() {
    let weak = ".weak .entry k() { bar.sync 1; ret; }\n.weak .global .u32 v = 1;";
    let visible = ".visible .entry k() { bar.sync 2; ret; }\n.visible .global .u32 v = 2;";
    for order in [[weak, visible, weak], [visible, weak, weak]] {
        let text = linked(&order);
        assert!(text.contains(".visible .entry k") && text.contains("bar.sync 2"), "{text}");
        assert!(text.contains(".visible .global .u32 v = 2;"), "{text}");
        assert!(!text.contains(".weak") && !text.contains("bar.sync 1"), "{text}");
    }
}

#[test]
fn of_common_variables_the_largest_or_the_initialised_is_kept() {
    let small = ".common .global .align 16 .u32 v;";
    let large = ".common .global .u32 v[4];";
    assert_eq!(linked(&[small, large]), ".common .global .align 16 .u32 v[4];\n");
    assert_eq!(linked(&[large, small]), ".common .global .align 16 .u32 v[4];\n");
    let initialised = ".common .global .u32 v = 3;";
    assert_eq!(linked(&[small, initialised]), ".common .global .align 16 .u32 v = 3;\n");
    let visible = ".visible .global .u32 v = 4;";
    assert_eq!(linked(&[small, visible]), ".visible .global .align 16 .u32 v = 4;\n");
    assert_eq!(
        problems(&[large, visible]),
        ["`v` is not the same in b.cu and a.cu: the size differs"]
    );
    assert_eq!(problems(&[initialised, initialised]), ["`v` is defined in a.cu and again in b.cu"]);
}

#[test]
fn names_without_linkage_are_distinguished_everywhere_they_are_used() {
    let unit = ".global .align 1 .b8 $str[2] = {65, 0};\n.shared .align 4 .b8 tile[16];\n\
        .const .u32 scale = 2;\n.func help() { ret; }\n\
        .visible .global .u64 pointersX[3] = {generic($str), help, $str+1};\n\
        .visible .entry kX() { .reg .b64 %rd<4>; .reg .b32 %r<4>;\n\
        mov.u64 %rd1, $str; mov.b64 %rd2, $str+1; ld.const.u32 %r1, [scale+0];\n\
        { .param .b32 param0; call help; }\n t: .calltargets help;\n st.shared.u32 [tile+4], %r1; ret; }";
    let text = linked(&[&unit.replace('X', "1"), &unit.replace('X', "2")]);
    for part in [
        ".global .align 1 .b8 $str[2]",
        ".global .align 1 .b8 $str$unit2[2]",
        ".shared .align 4 .b8 tile$unit2[16];",
        ".const .u32 scale$unit2 = 2;",
        ".func help$unit2()\n;",
        ".func help$unit2()\n{",
        "pointers1[3] = {generic($str), help, $str+1};",
        "pointers2[3] = {generic($str$unit2), help$unit2, $str$unit2+1};",
        "mov.u64 %rd1, $str$unit2;",
        "mov.b64 %rd2, $str$unit2+1;",
        "ld.const.u32 %r1, [scale$unit2+0];",
        "call help$unit2;",
        ".calltargets help$unit2;",
        "st.shared.u32 [tile$unit2+4], %r1;",
        "mov.u64 %rd1, $str;",
        "call help;",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_local_name_gives_way_to_a_global_one() {
    let text = linked(&[
        ".global .u32 v = 1;\n.visible .entry k() { .reg .b32 %r; ld.global.u32 %r, [v]; ret; }",
        ".visible .global .u32 v = 2;",
    ]);
    assert_order(&text, &[".global .u32 v$unit1 = 1;", ".visible .global .u32 v = 2;"]);
    assert!(text.contains("[v$unit1]"), "{text}");
}

#[test]
fn a_local_definition_does_not_answer_another_units_extern() {
    assert_eq!(
        problems(&[
            ".extern .func f();\n.visible .entry k() { call f; ret; }",
            ".func f() { ret; }\n.visible .entry l() { call f; ret; }"
        ]),
        ["the function `f` is used in a.cu and no unit defines it"]
    );
}

#[test]
fn names_of_a_function_hide_those_of_the_module() {
    let text = linked(&[
        ".global .u32 x;\n.global .u32 %r1;\n.visible .entry k() { ret; }",
        ".global .u32 x;\n.global .u32 %r1;\n.visible .func f(.param .b32 x) { .reg .b32 %r<3>;\n\
         ld.param.b32 %r1, [x]; ret; }\n\
         .visible .func g() { .reg .b32 y;\n{ .reg .b32 x; mov.b32 x, y; }\nld.global.u32 y, [x]; ret; }",
    ]);
    assert!(text.contains("ld.param.b32 %r1, [x];"), "{text}");
    assert!(text.contains("mov.b32 x, y;"), "{text}");
    assert!(text.contains("ld.global.u32 y, [x$unit2];"), "{text}");
}

#[test]
fn a_new_name_is_one_that_nobody_has() {
    let text = linked(&[
        ".global .u32 x;",
        ".global .u32 x;\n.visible .func f() { .reg .b32 x$unit2; ld.global.u32 x$unit2, [x]; ret; }",
    ]);
    assert!(text.contains("ld.global.u32 x$unit2, [x$unit2_];"), "{text}");
}

#[test]
fn dynamic_shared_memory_is_declared_once_per_name_with_the_largest_alignment() {
    let text = linked(&[
        ".extern .shared .align 4 .b8 dynamic[];\n.extern .shared .align 8 .b8 other[];",
        ".extern .shared .align 16 .b8 dynamic[];",
    ]);
    assert_eq!(
        text,
        ".extern .shared .align 16 .b8 dynamic[];\n.extern .shared .align 8 .b8 other[];\n"
    );
}

#[test]
fn a_sized_shared_variable_is_bound_to_its_definition() {
    let text = linked(&[".extern .shared .align 4 .u32 s;", ".visible .shared .align 4 .u32 s;"]);
    assert_eq!(text, ".visible .shared .align 4 .u32 s;\n");
    assert_eq!(
        problems(&[".extern .shared .align 4 .u32 s;"]),
        ["the variable `s` is declared in a.cu and no unit defines it"]
    );
}

#[test]
fn initial_values_stand_behind_what_they_name() {
    let text = linked(&[
        ".extern .global .u32 later;\n.extern .func f();\n.visible .global .u64 p = generic(later);\n\
         .visible .global .u64 q[2] = {f, p};",
        ".visible .global .u32 later = 5;\n.visible .func f() { ret; }",
    ]);
    assert_order(&text, &[".func f()\n;", "later = 5;", "p = generic(later);", "q[2] = {f, p};"]);
    assert!(!text.contains(".extern"), "{text}");
}

#[test]
fn initial_values_in_a_circle_are_declared_in_front() {
    let text = linked(&[
        ".extern .global .u64 b;\n.visible .global .u64 a = generic(b);",
        ".extern .global .u64 a;\n.visible .global .u64 b = generic(a);",
    ]);
    assert_eq!(
        text,
        ".extern .global .u64 b;\n.visible .global .u64 a = generic(b);\n\
         .visible .global .u64 b = generic(a);\n"
    );
    assert_eq!(problems(&[".global .u64 a = a;"]), ["the initial value of `a` depends on itself"]);
}

#[test]
fn undefined_names_are_errors_with_the_unit() {
    assert_eq!(
        problems(&[
            ".extern .global .u32 v;\n.extern .func unused();",
            ".extern .func f();\n.extern .global .u32 w;\n\
             .visible .entry k() { .reg .b64 %r; mov.u64 %r, w; call f; ret; }"
        ]),
        [
            "the variable `v` is declared in a.cu and no unit defines it",
            "the function `f` is used in b.cu and no unit defines it",
            "the variable `w` is declared in b.cu and no unit defines it"
        ]
    );
}

#[test]
fn functions_of_the_driver_and_of_the_device_runtime_stay_external() {
    let texts = with_heads(&[
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n\
         .extern .func unused();\n.visible .entry k() { call vprintf; ret; }",
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n\
         .extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 a);\n\
         .visible .entry l() { call vprintf; call cudaLaunchDeviceV2; ret; }",
    ]);
    let linked = link_whole(&texts).unwrap();
    assert_eq!(linked.text.matches(".extern").count(), 2, "{}", linked.text);
    assert!(!linked.text.contains("unused"));
    let missing = Undefined { name: "cudaLaunchDeviceV2".to_owned(), unit: "b.cu".to_owned() };
    assert_eq!(linked.of_device_runtime, [missing]);
}

#[test]
fn declarations_must_agree_with_the_definition() {
    let uses = ".visible .entry k() { .reg .b64 %r; mov.u64 %r, f; ret; }";
    for (declared, defined, what) in [
        ("(.param .b32 r) f(.param .b32 x)", "(.param .b32 r) f()", "the number of parameters"),
        ("f(.param .b32 x)", "(.param .b32 r) f(.param .b32 x)", "the number of parameters"),
        ("f(.param .b32 x)", "f(.param .b64 x)", "the type of a parameter"),
        ("f(.param .f32 x)", "f(.param .b32 x)", "the type of a parameter"),
        ("f(.param .align 4 .b8 x[8])", "f(.param .align 4 .b8 x[12])", "the type of a parameter"),
        (
            "f(.param .align 4 .b8 x[8])",
            "f(.param .align 8 .b8 x[8])",
            "the alignment of a parameter",
        ),
        ("f() .noreturn", "f()", "whether it returns"),
    ] {
        let declaration = format!(".extern .func {declared};\n{uses}");
        let definition = format!(".visible .func {defined} {{ ret; }}");
        let expected = format!("`f` is not the same in b.cu and a.cu: {what} differs");
        assert_eq!(problems(&[&declaration, &definition]), [expected], "{declared}");
    }
    // The kind of integer does not matter, nor do the names of parameters.
    linked(&[
        &format!(".extern .func f(.param .s32 x);\n{uses}"),
        ".visible .func f(.param .b32 y) { ret; }",
    ]);
}

#[test]
fn variables_must_agree_in_space_and_size() {
    let definition = ".visible .global .u32 v[4];";
    linked(&[".extern .global .b8 v[16];", definition]);
    linked(&[".extern .global .u32 v[];", definition]);
    for (declaration, what) in [
        (".extern .const .u32 v[4];", "the state space"),
        (".extern .global .u32 v[3];", "the size"),
        (".weak .global .u64 v[4];", "the size"),
        (".extern .func v();", "whether it is a function"),
    ] {
        let expected = format!("`v` is not the same in b.cu and a.cu: {what} differs");
        assert_eq!(problems(&[declaration, definition]), [expected]);
    }
    assert_eq!(
        problems(&[".weak .func f() { ret; }", ".visible .entry f() { ret; }"]),
        ["`f` is not the same in b.cu and a.cu: whether it is a kernel differs"]
    );
}

#[test]
fn an_alias_defines_its_name_for_other_units() {
    let text = linked(&[
        ".extern .func c1();\n.func c2() { ret; }\n.visible .entry k() { call c1; call c2; ret; }",
        ".func c2() { bar.sync 2; ret; }\n.visible .func c1();\n.alias c1, c2;",
    ]);
    assert!(!text.contains(".extern"), "{text}");
    assert_order(&text, &[".visible .func c1()\n;", ".alias c1, c2$unit2;"]);
    let weak = ".weak .func c2() { ret; }\n.weak .func c1();\n.alias c1, c2;";
    assert_eq!(linked(&[weak, weak]).matches(".alias").count(), 1);
}

#[test]
fn a_kernel_that_is_named_is_declared_without_its_bounds() {
    let text = linked(&[
        ".extern .entry k(.param .u64 p);\n.visible .global .u64 table = k;",
        ".visible .entry k(.param .u64 p) .maxntid 128, 1, 1 { ret; }\n.visible .entry l() { ret; }",
    ]);
    assert_order(&text, &[".visible .entry k(.param .u64 p)\n;", "table = k;", ".maxntid 128"]);
    assert_eq!(text.matches(".entry l").count(), 1, "{text}");
    let local = ".entry k() { ret; }\n.visible .global .u64 tableX = k;";
    let text = linked(&[&local.replace('X', "1"), &local.replace('X', "2")]);
    assert_order(&text, &[".entry k$unit2()\n;", "table2 = k$unit2;", ".entry k$unit2()\n{"]);
}

#[test]
fn a_function_that_does_not_return_is_declared_as_such() {
    let text = linked(&[".visible .func f() .noreturn { trap; }"]);
    assert_eq!(text.matches(".noreturn").count(), 2, "{text}");
}

#[test]
fn textures_and_managed_variables_are_variables() {
    let text = linked(&[
        ".extern .global .texref t;\n.extern .global .attribute(.managed) .align 4 .u32 m;\n\
         .visible .entry k() { tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}]; ret; }",
        ".visible .global .texref t;\n.visible .global .attribute(.managed) .align 4 .u32 m = 3;",
    ]);
    assert_order(
        &text,
        &[".visible .global .texref t;", ".attribute(.managed) .align 4 .u32 m = 3;", "[t, {%r1}]"],
    );
}

#[test]
fn files_and_inlined_functions_are_those_of_the_program() {
    let body =
        "{\n.loc 1 3 1\n.loc 2 5 1, function_name $L__info_string0+2, inlined_at 1 3 1\nret;\n}";
    let strings =
        ".section .debug_str\n{\n$L__info_string0:\n.b8 LETTER,0\n$L__info_string1:\n.b8 99,0\n}\n";
    let text = linked(&[
        &format!(
            ".visible .entry k()\n{body}\n.file 1 \"a.cu\"\n.file 2 \"x.h\"\n{}",
            strings.replace("LETTER", "65")
        ),
        &format!(
            ".visible .entry l()\n{body}\n.file 1 \"b.cu\"\n.file 2 \"x.h\"\n{}",
            strings.replace("LETTER", "66")
        ),
        &format!(
            ".visible .entry m()\n{body}\n.file 1 \"c.cu\"\n.file 2 \"x.h\"\n{}",
            strings.replace("LETTER", "65")
        ),
    ]);
    for part in [
        ".loc 1 3 1\n",
        ".loc 2 5 1, function_name $L__info_string0+2, inlined_at 1 3 1\n",
        ".loc 2 5 1, function_name $L__info_string2+2, inlined_at 3 3 1\n",
        ".loc 2 5 1, function_name $L__info_string0+2, inlined_at 4 3 1\n",
        ".file 1 \"a.cu\"\n.file 2 \"x.h\"\n.file 3 \"b.cu\"\n.file 4 \"c.cu\"\n",
        ".section .debug_str\n{\n$L__info_string0:\n.b8 65, 0\n$L__info_string2:\n.b8 66, 0\n}\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn other_debug_data_is_dropped_and_said_so() {
    let debug =
        ".version 9.0\n.target sm_90, debug\n.address_size 64\n.visible .entry k() { ret; }\n\
        .section .debug_info\n{\n.b32 1\n}\n"
            .to_owned();
    let linked = link_whole(&[debug, format!("{HEAD}.visible .entry l() {{ ret; }}")]).unwrap();
    assert!(linked.text.contains(".target sm_90\n"), "{}", linked.text);
    assert!(!linked.text.contains(".section"), "{}", linked.text);
    assert_eq!(linked.without_debug_data, ["a.cu"]);
}

#[test]
fn pragmas_and_attributes_of_single_units() {
    let text = linked(&[
        ".pragma \"one\";\n.visible .func .attribute(.unified(1, 2)) f() { ret; }",
        ".pragma \"one\", \"two\";\n.extern .func .attribute(.unified(1, 2)) f();",
    ]);
    assert!(text.starts_with(".pragma \"one\", \"two\";\n"), "{text}");
    assert!(!text.contains(".unified"), "{text}");
}

fn head_of(heads: &[(&str, &str, &str)]) -> Result<String, String> {
    let unit = |(version, target, size): &(&str, &str, &str)| {
        format!(".version {version}\n.target {target}\n.address_size {size}\n")
    };
    let texts: Vec<_> = heads.iter().map(unit).collect();
    link_whole(&texts).map(|linked| linked.text).map_err(|error| error.to_string())
}

#[test]
fn the_head_is_one_that_all_units_can_live_with() {
    let head =
        |version, target| Ok(format!(".version {version}\n.target {target}\n.address_size 64\n"));
    let merged = head_of(&[("8.0", "sm_80", "64"), ("9.0", "sm_90", "64"), ("7.8", "sm_75", "64")]);
    assert_eq!(merged, head("9.0", "sm_90"));
    assert_eq!(head_of(&[("8.0", "sm_90a", "64"), ("8.0", "sm_80", "64")]), head("8.0", "sm_90a"));
    assert_eq!(
        head_of(&[("8.8", "sm_100f", "64"), ("8.8", "sm_100a", "64")]),
        head("8.8", "sm_100a")
    );
    assert_eq!(
        head_of(&[("8.8", "sm_90a", "64"), ("8.8", "sm_100", "64")]).unwrap_err(),
        "a.cu is for sm_90a and b.cu for sm_100: compile both for the same architecture"
    );
    assert_eq!(
        head_of(&[("8.8", "sm_90", "64"), ("8.8", "sm_90, texmode_independent", "64")])
            .unwrap_err(),
        "a.cu is for sm_90 and b.cu for sm_90, texmode_independent: compile both for the same \
         architecture"
    );
    assert_eq!(
        head_of(&[("8.8", "sm_90", "64"), ("8.8", "sm_90", "32")]).unwrap_err(),
        "a.cu has addresses of 64 bits and b.cu of 32: compile both for the same size"
    );
    assert_eq!(head_of(&[]).unwrap_err(), "there are no PTX units to link");
}
