//! Which loads get a guard, and which do not.

use crate::{BoolOp, Compare, ModuleIndex, Op, Predicate, Value};
use warpsan_ptx::Document;

/// The guard of every weak load from memory that others can write, in words over the registers:
/// `%r1` is `r1`. The kernel has the parameter `n` in `%r9` and the thread's number in `%r1`.
fn guards(body: &str) -> Vec<String> {
    let text = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 g;\n.global .u32 h;\n\
         .visible .entry k(.param .u32 n)\n{{\n.reg .b32 %r<20>;\n.reg .pred %p<10>;\n\
         .shared .u32 s;\nmov.u32 %r1, %tid.x;\nld.param.u32 %r9, [n];\n{body}\nret;\n}}\n"
    );
    let document = Document::parse(text);
    assert_eq!(document.errors(), []);
    let function = crate::function(&ModuleIndex::of(&document), "k").unwrap();
    let code: Vec<_> = function.code.iter().collect();
    let is_load =
        |op: &Op| matches!(op, Op::Load { space, .. } if *space != crate::MemorySpace::Param);
    code.iter()
        .enumerate()
        .filter(|(_, instruction)| is_load(&instruction.op))
        .map(|(at, load)| {
            let before: Vec<&Op> = code[..at].iter().map(|instruction| &instruction.op).collect();
            load.counts_if.map_or("always".to_string(), |guard| describe(guard, &before))
        })
        .collect()
}

fn describe((predicate, negated): (Predicate, bool), before: &[&Op]) -> String {
    let value = |value: &Value| match value {
        Value::Register(register) => format!("r{}", register.number),
        Value::Constant(constant) => constant.to_string(),
    };
    let text = before.iter().enumerate().rev().find_map(|(at, op)| match op {
        Op::SetPredicate { to, compare, a, b, .. } if *to == Some(predicate) => {
            let compare = match (compare, negated) {
                (Compare::Eq, false) | (Compare::Ne, true) => "==",
                (Compare::Ne, false) | (Compare::Eq, true) => "!=",
                (Compare::Lt, false) | (Compare::Ge, true) => "<",
                (Compare::Ge, false) | (Compare::Lt, true) => ">=",
                other => panic!("{other:?}"),
            };
            Some(format!("{} {compare} {}", value(a), value(b)))
        }
        Op::PredicateLogic { op, to, a, b } if *to == predicate => {
            let word = if *op == BoolOp::And { "and" } else { "or" };
            let not = if negated { "not " } else { "" };
            let (a, b) = (describe(*a, &before[..at]), describe(*b, &before[..at]));
            Some(format!("{not}({a} {word} {b})"))
        }
        Op::ConstantPredicate { to, value } if *to == predicate => {
            Some(if *value != negated { "always" } else { "never" }.to_string())
        }
        _ => None,
    });
    text.unwrap_or_else(|| "unknown".to_string())
}

const USE: &str = "st.global.u32 [h], %r3;";

#[test]
fn a_choice_behind_the_load_is_its_guard() {
    let body = |select: &str| {
        format!("setp.eq.s32 %p1, %r1, 0;\nld.global.u32 %r2, [g];\n{select}\n{USE}")
    };
    assert_eq!(guards(&body("selp.b32 %r3, %r2, 7, %p1;")), ["r1 == 0"]);
    assert_eq!(guards(&body("selp.b32 %r3, 7, %r2, %p1;")), ["r1 != 0"]);
    assert_eq!(guards(&body("selp.b32 %r3, %r2, %r2, %p1;")), ["always"]);
    assert_eq!(guards(&body("selp.b32 %r3, %r1, %r9, %p1;")), ["never"], "nobody looks at it");
    assert_eq!(guards(&body("@%p1 mov.u32 %r3, %r2;")), ["r1 == 0"]);
    assert_eq!(guards(&body("add.u32 %r2, %r2, 1; selp.b32 %r3, %r2, 7, %p1;")), ["r1 == 0"]);
}

#[test]
fn a_predicate_computed_behind_the_load_is_computed_in_front_of_it() {
    let late = "ld.global.u32 %r2, [g];\nadd.u32 %r4, %r9, 1;\nsetp.lt.s32 %p1, %r1, %r4;\n\
                selp.b32 %r3, %r2, 7, %p1;";
    let [guard] = guards(&format!("{late}\n{USE}")).try_into().unwrap();
    assert!(guard.starts_with("r1 < r") && guard != "r1 < r4", "a fresh register: {guard}");
    let other_load = "ld.global.u32 %r2, [g];\nld.volatile.global.u32 %r4, [h];\n\
                      setp.eq.s32 %p1, %r4, 0;\nselp.b32 %r3, %r2, 7, %p1;";
    assert_eq!(guards(&format!("{other_load}\n{USE}")), ["always", "always"]);
}

#[test]
fn nested_choices_and_short_circuits_combine() {
    let two = "setp.eq.s32 %p1, %r1, 0;\nsetp.lt.s32 %p2, %r1, %r9;\nld.shared.u32 %r2, [s];\n";
    let nested = "selp.b32 %r4, %r2, 2, %p1;\nselp.b32 %r3, %r4, 1, %p2;";
    assert_eq!(guards(&format!("{two}{nested}{USE}")), ["(r1 == 0 and r1 < r9)"]);
    let either = "selp.b32 %r3, %r2, 2, %p1;\nst.global.u32 [h], %r3;\nselp.b32 %r3, %r2, 1, %p2;";
    assert_eq!(guards(&format!("{two}{either}{USE}")), ["(r1 == 0 or r1 < r9)"]);
    let short = "setp.ne.s32 %p3, %r2, 0;\nand.pred %p4, %p1, %p3;\nselp.b32 %r3, 1, 0, %p4;";
    assert_eq!(guards(&format!("{two}{short}{USE}")), ["r1 == 0"]);
    let negated = "setp.ne.s32 %p3, %r2, 0;\nor.pred %p4, %p1, %p3;\n@%p4 bra END;\nst.global.u32 [h], 1;\nEND:";
    assert_eq!(guards(&format!("{two}{negated}")), ["r1 != 0"]);
    let combined = "setp.ne.and.s32 %p4, %r2, 0, %p1;\nselp.b32 %r3, 1, 0, %p4;";
    assert_eq!(guards(&format!("{two}{combined}{USE}")), ["r1 == 0"]);
}

#[test]
fn a_choice_that_depends_on_the_load_still_implies_its_other_half() {
    let minimum = "setp.eq.s32 %p2, %r1, 0;\nld.global.u32 %r2, [g];\nsetp.lt.s32 %p3, %r2, %r9;\n\
                   and.pred %p4, %p2, %p3;\nselp.b32 %r3, %r2, %r9, %p4;";
    assert_eq!(guards(&format!("{minimum}\n{USE}")), ["r1 == 0"]);
}

#[test]
fn joined_comparisons_with_zero_are_seen() {
    let joined = "ld.global.u32 %r2, [g];\nor.b32 %r3, %r2, %r1;\nsetp.ne.s32 %p1, %r3, 0;\n\
                  @%p1 bra END;\nst.global.u32 [h], 5;\nEND:";
    assert_eq!(guards(joined), ["r1 == 0"]);
    let also_stored = format!("{joined}\n{USE}");
    assert_eq!(guards(&also_stored), ["always"], "the joined value itself is observed");
}

#[test]
fn a_branch_alone_is_no_sign_of_speculation() {
    let early = "ld.global.u32 %r3, [g];\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra END;\n";
    assert_eq!(guards(&format!("{early}{USE}\nEND:")), ["always"]);
    // Another use that is a choice shows that the load was moved.
    let merged =
        "ld.global.u32 %r2, [g];\nsetp.ne.s32 %p1, %r9, 0;\nmov.u32 %r3, %r2;\n@%p1 bra NEXT;\n";
    let both = format!(
        "{merged}{USE}\nNEXT:\nsetp.eq.s32 %p2, %r1, 0;\nselp.b32 %r4, %r2, 0, %p2;\nst.global.u32 [h], %r4;"
    );
    let [guard] = guards(&both).try_into().unwrap();
    assert!(guard.contains("r9 == 0") && guard.contains("r1 == 0"), "{guard}");
}

#[test]
fn loads_that_were_moved_out_of_a_loop_keep_its_condition() {
    let hoisted = "ld.shared.u32 %r3, [s];\nmov.u32 %r5, 0;\nTOP:\nsetp.ne.s32 %p1, %r1, 0;\n\
                   @%p1 bra NEXT;\nst.global.u32 [h], %r3;\nNEXT:\nadd.u32 %r5, %r5, 1;\n\
                   setp.lt.s32 %p2, %r5, %r9;\n@%p2 bra TOP;";
    assert_eq!(guards(hoisted), ["r1 == 0"]);
    let changing = hoisted.replace("setp.ne.s32 %p1, %r1, 0", "setp.ne.s32 %p1, %r1, %r5");
    assert_eq!(guards(&changing), ["always"], "true in some iteration, who knows which");
}

#[test]
fn what_is_no_plain_load_from_a_fixed_place_is_left_alone() {
    let select = |load: &str| {
        let text = format!(
            "setp.eq.s32 %p1, %r1, 0;\n.reg .b64 %d<4>;\n{load}\nselp.b32 %r3, %r2, 7, %p1;\n{USE}"
        );
        guards(&text).pop().unwrap()
    };
    assert_eq!(select("ld.volatile.global.u32 %r2, [g];"), "always");
    assert_eq!(select("ld.relaxed.gpu.global.u32 %r2, [g];"), "always");
    assert_eq!(
        select(
            "mov.u64 %d1, g; cvt.u64.u32 %d2, %r9; add.u64 %d1, %d1, %d2; ld.global.u32 %r2, [%d1];"
        ),
        "always"
    );
    assert_eq!(select("mov.u64 %d1, g; ld.global.u32 %r2, [%d1+4];"), "r1 == 0");
}

#[test]
fn a_predicate_that_changes_between_load_and_choice_is_not_taken_for_the_old_one() {
    let changed = "setp.eq.s32 %p1, %r1, 0;\nld.global.u32 %r2, [g];\natom.global.add.u32 %r4, [h], 1;\n\
                   setp.eq.s32 %p1, %r4, 0;\nselp.b32 %r3, %r2, 7, %p1;";
    assert_eq!(guards(&format!("{changed}\n{USE}")), ["always"]);
}

#[test]
fn a_value_that_is_chosen_in_the_next_iteration_has_no_guard_of_this_one() {
    let carried = "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nTOP:\nsetp.eq.s32 %p1, %r5, 3;\nld.shared.u32 %r2, [s];\n\
                   selp.b32 %r3, %r6, 7, %p1;\nst.global.u32 [h], %r3;\nmov.u32 %r6, %r2;\n\
                   add.u32 %r5, %r5, 1;\nsetp.lt.s32 %p2, %r5, %r9;\n@%p2 bra TOP;";
    assert_eq!(guards(carried), ["always"]);
}

#[test]
fn no_branch_behind_a_barrier_narrows_a_load_in_front_of_it() {
    let in_loop = "ld.shared.u32 %r3, [s];\nmov.u32 %r5, 0;\nTOP:\nbar.sync 0;\nsetp.ne.s32 %p1, %r1, 0;\n\
                   @%p1 bra NEXT;\nst.global.u32 [h], %r3;\nNEXT:\nadd.u32 %r5, %r5, 1;\n\
                   setp.lt.s32 %p2, %r5, %r9;\n@%p2 bra TOP;";
    assert_eq!(guards(in_loop), ["always"]);
    // A choice is moved behind a barrier by the compiler itself.
    let choice = format!(
        "setp.eq.s32 %p1, %r1, 0;\nld.shared.u32 %r2, [s];\nbar.sync 0;\nselp.b32 %r3, %r2, 7, %p1;\n{USE}"
    );
    assert_eq!(guards(&choice), ["r1 == 0"]);
}

#[test]
fn a_floating_point_zero_has_a_sign() {
    let joined = "ld.global.u32 %r2, [g];\nor.b32 %r3, %r2, 0x80000000;\nsetp.eq.f32 %p1, %r3, 0f00000000;\n\
                  @%p1 bra END;\nst.global.u32 [h], 5;\nEND:";
    assert_eq!(guards(joined), ["always"]);
}

#[test]
fn the_steps_of_a_condition_name_what_they_repeat() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 g;\n\
        .visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>;\n.reg .pred %p<4>;\n.reg .b64 %rd<2>;\n\
        mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [out];\nbra L;\nL:\nld.global.u32 %r2, [g];\n\
        add.u32 %r4, %r1, 1;\nsetp.lt.s32 %p1, %r4, 7;\nselp.b32 %r3, %r2, 7, %p1;\n\
        st.global.u32 [%rd1], %r3;\nret;\n}\n";
    let document = Document::parse(text.to_owned());
    let function = crate::function(&ModuleIndex::of(&document), "k").unwrap();
    let [condition] = &function.conditions[..] else { panic!("{:?}", function.conditions) };
    let load = &function.code[condition.load as usize];
    assert!(load.counts_if.is_some() && matches!(load.op, Op::Load { .. }));
    let repeated: Vec<(&str, Vec<String>, usize)> = condition
        .steps
        .iter()
        .filter_map(|step| step.repeats.as_ref())
        .map(|repeats| {
            let reads = repeats.reads.iter().filter_map(|(old, _)| function.text_of(*old));
            (repeats.span.text(text), reads.collect(), repeats.writes.len())
        })
        .collect();
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let wanted = [
        ("add.u32 %r4, %r1, 1", names(&["%r1"]), 1),
        ("setp.lt.s32 %p1, %r4, 7", names(&["%r4"]), 1),
    ];
    assert_eq!(repeated, wanted);
    let before = condition.load as usize - condition.steps.len();
    let places = before..condition.load as usize;
    let steps = condition.steps.iter().map(|step| &step.op);
    assert!(function.code[places].iter().map(|instruction| &instruction.op).eq(steps));
}
