//! Every form, group by group.

use std::fmt::Write as _;
use std::fs;

use warpsan_ir::ModuleIndex;
use warpsan_ptx::Document;
use warpsan_testkit::instructions::{
    Form, GROUPS, Recorded, THREADS_PER_BLOCK, ValueType, file_name, forms, module_text,
};

use crate::engine::{Work, data_after};
use crate::suite;

/// How many differences of a form the message shows; the file has all.
const SHOWN: usize = 3;

/// Runs the forms of a group and compares their results with the recorded ones.
fn check(group: &str) {
    let forms: Vec<Form> = forms().into_iter().filter(|form| form.group == group).collect();
    assert!(!forms.is_empty(), "there is no group `{group}`");
    let path = suite().join(file_name(group));
    let recorded = Recorded::read(&path).unwrap_or_else(|error| panic!("{error}"));
    let document = Document::parse(module_text(&forms));
    assert_eq!(document.errors(), []);
    let index = ModuleIndex::of(&document);
    let (mut shown, mut all, mut failed) = (String::new(), String::new(), 0);
    for form in &forms {
        let differences = match differences(&index, form, &recorded) {
            Ok(differences) if differences.is_empty() => continue,
            Ok(differences) => differences,
            Err(error) => vec![format!("{error:#}")],
        };
        failed += 1;
        for (text, most) in [(&mut shown, SHOWN), (&mut all, usize::MAX)] {
            let _ =
                writeln!(text, "{}: {} of {}", form.name, differences.len(), form.inputs().len());
            for difference in differences.iter().take(most) {
                let _ = writeln!(text, "    {difference}");
            }
        }
    }
    let list = format!("{}/instructions-{group}.txt", env!("CARGO_TARGET_TMPDIR"));
    fs::write(&list, all).unwrap_or_else(|error| panic!("cannot write {list}: {error}"));
    assert!(failed == 0, "{failed} of {} forms differ (all in {list}):\n{shown}", forms.len());
}

/// The tuples whose results differ from the recorded ones, in words.
fn differences(
    index: &ModuleIndex<'_>,
    form: &Form,
    recorded: &Recorded,
) -> anyhow::Result<Vec<String>> {
    let expected = recorded.outputs(form)?;
    let inputs = form.inputs();
    let bytes: Vec<u8> = inputs.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let work = Work {
        kernel: &form.kernel_name(),
        blocks: (inputs.len() as u32).div_ceil(THREADS_PER_BLOCK),
        threads: THREADS_PER_BLOCK,
        inputs: &bytes,
        data_bytes: 8 * inputs.len() * form.results.len(),
        count: inputs.len() as u32,
        seed: 0,
    };
    let data = data_after(index, &work)?;
    let words: Vec<u64> =
        data.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let mut list = Vec::new();
    for ((got, expected), tuple) in words.chunks(form.results.len()).zip(&expected).zip(&inputs) {
        let accepted = form.results.iter().zip(got).zip(expected);
        if !accepted
            .clone()
            .all(|((value, got), expected)| form.rule.accepts(*value, *got, *expected))
        {
            let operands = described(&Form::OPERANDS, &form.operands, tuple);
            let got = described(&Form::RESULTS, &form.results, got);
            let expected = described(&Form::RESULTS, &form.results, expected);
            list.push(format!("{operands}: got {got}, the GPU gave {expected}"));
        }
    }
    Ok(list)
}

/// Values as hexadecimal digits, and as numbers where they are floating-point numbers.
fn described(registers: &[&str], types: &[ValueType], values: &[u64]) -> String {
    let mut list = Vec::new();
    for ((register, value_type), bits) in registers.iter().zip(types).zip(values) {
        let digits = 2 * value_type.bytes();
        let number = value_type.number(*bits).map(|number| format!(" ({number:e})"));
        list.push(format!("{register}={bits:0digits$x}{}", number.unwrap_or_default()));
    }
    list.join(" ")
}

/// A test for each group, and one that says when a group has none.
macro_rules! tests_of_groups {
    ($($group:ident),* $(,)?) => {
        $(
            #[test]
            fn $group() {
                check(stringify!($group));
            }
        )*

        #[test]
        fn every_group_has_a_test() {
            assert_eq!(GROUPS.to_vec(), [$(stringify!($group)),*]);
        }
    };
}

tests_of_groups!(
    integer,
    carry,
    bits,
    compare,
    select,
    float,
    approximate,
    half,
    convert,
    narrow,
    video,
);
