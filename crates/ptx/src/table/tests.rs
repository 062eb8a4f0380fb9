//! The table holds together: names, classes, examples. That the examples assemble was checked
//! with NVIDIA's assembler when they were written.

use super::*;
use std::collections::HashSet;

/// The opcode, the words after it and the shapes of the operands of an example.
fn split(example: &str) -> (&str, Vec<&str>, Vec<Shape>) {
    let (mnemonic, operands) = example.split_once(' ').unwrap_or((example, ""));
    let mut words = mnemonic.split('.');
    let opcode = words.next().unwrap();
    let mut shapes = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (index, byte) in operands.bytes().chain([b',']).enumerate() {
        match byte {
            b'[' | b'{' | b'(' => depth += 1,
            b']' | b'}' | b')' => depth -= 1,
            b',' if depth == 0 => {
                let operand = operands[start..index].trim();
                start = index + 1;
                if operand.starts_with('[') {
                    shapes.push(Shape::Address);
                } else if operand.starts_with('(') {
                    shapes.push(Shape::List);
                } else if !operand.is_empty() {
                    shapes.push(Shape::Value);
                }
            }
            _ => {}
        }
    }
    (opcode, words.collect(), shapes)
}

#[test]
fn names_are_unique_and_every_field_is_filled() {
    let mut names = HashSet::new();
    for row in rows() {
        assert!(names.insert(row.name), "{} twice", row.name);
        assert!(row.section.starts_with("9.7."), "{}", row.name);
        assert!(row.target.starts_with("sm_"), "{}", row.name);
        assert_eq!(named(row.name), Some(row));
    }
    assert!(EXAMPLES.iter().all(|(name, ..)| names.contains(name)));
}

#[test]
fn classes_exist() {
    for row in rows() {
        for word in row.modifiers.split_ascii_whitespace().filter(|word| word.starts_with('<')) {
            let class = word.trim_matches(['<', '>']);
            assert!(classes::exists(class), "{}: {word}", row.name);
        }
    }
}

#[test]
fn examples_find_their_row_and_fit_a_form() {
    for (row, _, example) in examples() {
        let (opcode, words, shapes) = split(example);
        assert_eq!(find(opcode, &words).map(|row| row.name), Some(row.name), "{example}");
        assert!(row.assign(&shapes).is_some(), "{example} has {shapes:?}");
    }
}

#[test]
fn examples_are_distinct() {
    let mut texts = HashSet::new();
    for (_, _, example) in examples() {
        assert!(texts.insert(example), "{example} twice");
    }
}

#[test]
fn words_after_the_name_stand_in_any_order() {
    let name = |text: &str| {
        let (opcode, words, _) = split(text);
        find(opcode, &words).map(|row| row.name)
    };
    assert_eq!(name("ld.u32.global"), Some("ld"));
    assert_eq!(name("fence.gpu.acq_rel"), Some("fence"));
    assert_eq!(
        name("wgmma.mma_async.aligned.sync.f32.f16.f16.m64n256k16"),
        Some("wgmma.mma_async")
    );
    assert_eq!(name("mbarrier.shared.arrive.b64"), None);
    assert_eq!(name("add.u32.warp"), None);
    assert_eq!(name("ADD.u32"), None);
    assert_eq!(name("mma.m16n8.k"), None);
    assert_eq!(name("nothing"), None);
}

#[test]
fn the_longest_name_wins() {
    assert_eq!(
        find("cp", &["async", "bulk", "commit_group"]).unwrap().name,
        "cp.async.bulk.commit_group"
    );
    assert_eq!(find("st", &["async", "release", "gpu", "global", "u32"]).unwrap().name, "st.async");
    assert_eq!(find("fence", &["proxy", "alias"]).unwrap().name, "fence.proxy");
    assert_eq!(find("fence", &["sc", "sys"]).unwrap().name, "fence");
}

#[test]
fn forms_say_direction_shape_and_what_is_optional() {
    let forms: Vec<_> = named("call").unwrap().forms().collect();
    assert_eq!(forms.len(), 2);
    let results = forms[0].items[0];
    assert_eq!((results.name, results.direction), ("results", Direction::Written));
    assert_eq!((results.shape, results.optional), (Shape::List, false));
    let wgmma = named("wgmma.mma_async").unwrap().forms().next().unwrap();
    assert_eq!(wgmma.items[0].direction, Direction::ReadWritten);
    let fence = named("fence.proxy").unwrap();
    assert_eq!(fence.assign(&[]), Some(Vec::new()));
    assert_eq!(fence.assign(&[Shape::Value]), None);
    let barrier = named("bar").unwrap().assign(&[Shape::Value; 3]).unwrap();
    assert_eq!(barrier[0].direction, Direction::Written);
    let further = Form::parse("=d, *").assign(&[Shape::Value, Shape::Address]).unwrap();
    assert_eq!((further.len(), further[1].shape), (2, Shape::Address));
}

#[test]
fn directives_are_sorted_and_found() {
    assert!(DIRECTIVES.windows(2).all(|pair| pair[0].name < pair[1].name));
    assert_eq!(directive(".maxntid").unwrap().section, "11.4.2");
    assert!(directive("maxntid").is_none());
}

#[test]
fn special_registers_are_found_with_their_number() {
    assert!(special_register("%tid").unwrap().components);
    assert_eq!(special_register("%pm7").unwrap().ptx_type, "u32");
    assert_eq!(special_register("%pm7_64").unwrap().ptx_type, "u64");
    assert_eq!(special_register("%envreg31").unwrap().section, "10.27");
    assert_eq!(special_register("%clock64").unwrap().section, "10.24");
    for name in ["%envreg32", "%envreg01", "%envreg+1", "%pm8", "%pm", "%tid.x", "tid", "%envreg#"]
    {
        assert!(special_register(name).is_none(), "{name}");
    }
}

#[test]
fn the_scaffold_declares_a_sampler_only_when_it_is_named() {
    assert!(!scaffold("9.0", "sm_75", "ret").contains("texmode_independent"));
    let with =
        scaffold("9.0", "sm_75", "tex.1d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [tex0, samp0, {%f1}]");
    assert!(
        with.contains(".target sm_75, texmode_independent") && with.contains(".samplerref samp0")
    );
}
