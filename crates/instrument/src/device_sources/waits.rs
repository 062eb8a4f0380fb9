//! What lanes of the device code wait for each other by, read from its PTX.
//!
//! ptxas takes `activemask` for one value of the whole warp wherever paths have joined, and lanes that come to a wait then wait by
//! the mask of one of them. Behind a loop or a call, lanes of several masks may come together (`of_each_lane` in
//! `device/template.h`), and some wait for ever.

use std::collections::HashMap;
use warpsan_ptx::{Document, Instruction, Operand, Statement};

/// Waits of a text that are by a bare `activemask` and have a loop or a call between the two, as "function: instruction".
fn waits_by_one_mask(text: &str) -> Vec<String> {
    let document = Document::parse(text.to_owned());
    let mut found = Vec::new();
    for function in document.module().functions() {
        let mut steps = Vec::new();
        flatten(function.body.unwrap_or_default(), &mut steps);
        let waits = waits_of(&steps);
        found.extend(waits.into_iter().map(|wait| format!("{}: {wait}", function.name)));
    }
    found
}

enum Step<'a> {
    Label(&'a str),
    Instruction(&'a Instruction<'a>),
}

fn flatten<'a>(statements: &'a [Statement<'a>], steps: &mut Vec<Step<'a>>) {
    for statement in statements {
        match statement {
            Statement::Label(label) => steps.push(Step::Label(label.name)),
            Statement::Instruction(instruction) => steps.push(Step::Instruction(instruction)),
            Statement::Block(block) => flatten(block.statements, steps),
            _ => {}
        }
    }
}

fn waits_of(steps: &[Step<'_>]) -> Vec<String> {
    let mut labels: HashMap<&str, usize> = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        if let Step::Label(name) = step {
            labels.insert(name, at);
        }
    }
    // Where loops begin: at labels that somebody goes back to.
    let mut breaks: Vec<usize> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let Step::Instruction(instruction) = step else { continue };
        match (instruction.opcode(), instruction.operands.last()) {
            ("bra", Some(Operand::Name(target))) => {
                breaks.extend(labels.get(target).filter(|label| **label <= at));
            }
            ("call", _) => breaks.push(at),
            _ => {}
        }
    }
    // Registers with a bare mask, and where it was read.
    let mut bare: HashMap<&str, usize> = HashMap::new();
    let mut waits = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let Step::Instruction(instruction) = step else { continue };
        let waits_here = instruction.opcode() != "ws" && instruction.modifiers().contains(&"sync");
        match (instruction.opcode(), instruction.operands) {
            ("activemask", [Operand::Name(to)]) => {
                bare.insert(to, at);
            }
            ("mov", [Operand::Name(to), Operand::Name(from)]) => {
                if let Some(since) = bare.get(from).copied() {
                    bare.insert(to, since);
                }
            }
            (opcode, [.., Operand::Name(mask)]) if waits_here => {
                let since = bare.get(mask);
                if since
                    .is_some_and(|since| breaks.iter().any(|place| (*since..at).contains(place)))
                {
                    waits.push(format!("{opcode}.{}", instruction.modifiers().join(".")));
                }
            }
            _ => {}
        }
    }
    waits
}

#[test]
fn a_wait_behind_a_loop_or_a_call_is_by_the_mask_of_each_lane() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("device");
    let mut masks = 0;
    for source in super::sources(&folder).expect("the folder can be read") {
        let file = source.with_extension("ptx");
        let text = std::fs::read_to_string(&file).expect("its PTX");
        masks += text.matches("activemask").count();
        assert_eq!(waits_by_one_mask(&text), Vec::<String>::new(), "{}", file.display());
    }
    assert!(masks > 0, "the device code asks who is there");
}

#[test]
fn waits_by_one_mask_are_found() {
    let function = |body: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.func check()\n{{\n{body}\n\tret;\n}}\n"
        )
    };
    let at_once =
        function("activemask.b32 %r1;\nmov.u32 %r2, %r1;\nvote.sync.all.pred %p1, %p2, %r2;");
    assert!(waits_by_one_mask(&at_once).is_empty());
    let behind_a_loop = function(
        "activemask.b32 %r1;\n$again:\n@%p1 bra $again;\nmov.u32 %r2, %r1;\nbar.warp.sync %r2;",
    );
    assert_eq!(waits_by_one_mask(&behind_a_loop), ["check: bar.warp.sync"]);
    let behind_a_call =
        function("activemask.b32 %r1;\n{\ncall.uni other, ();\n}\nbar.warp.sync %r1;");
    assert_eq!(waits_by_one_mask(&behind_a_call), ["check: bar.warp.sync"]);
    let of_each_lane = function(
        "activemask.b32 %r1;\nor.b32 %r2, %r1, %r3;\n$again:\n@%p1 bra $again;\nbar.warp.sync %r2;",
    );
    assert!(waits_by_one_mask(&of_each_lane).is_empty());
    let asked_in_the_loop =
        function("$again:\nactivemask.b32 %r1;\nbar.warp.sync %r1;\n@%p1 bra $again;");
    assert!(waits_by_one_mask(&asked_in_the_loop).is_empty());
}
