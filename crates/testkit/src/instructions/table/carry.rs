//! Manual, section 9.7.2: additions, subtractions and products that go on with a carry.

use crate::instructions::Form;
use crate::instructions::ValueType::{self, *};

pub(super) fn forms() -> Vec<Form> {
    let types = [("u32", U32), ("s32", S32), ("u64", U64), ("s64", S64)];
    types.iter().flat_map(|(name, value)| of_type(name, *value)).collect()
}

fn of_type(name: &str, value: ValueType) -> Vec<Form> {
    let mut list = Vec::new();
    for (first, next) in [("add", "addc"), ("sub", "subc")] {
        // Numbers of two words, the lower ones in a and b.
        let code = format!("{first}.cc.{name} d, a, b;\n{next}.{name} e, c, f;");
        list.push(Form::of_code(format!("{first}.cc.{name}"), code, &[value; 4], &[value; 2]));
        // The carry out of the second word.
        let code = format!(
            "{first}.cc.{name} d, a, b;\n{next}.cc.{name} d, c, f;\n{next}.{name} e, 0, 0;"
        );
        list.push(Form::of_code(format!("{next}.cc.{name}"), code, &[value; 4], &[value; 2]));
    }
    // A sum sets the carry that a difference takes as its borrow, and the other way round.
    let code = format!("add.cc.{name} d, a, b;\nsubc.{name} e, c, f;");
    list.push(Form::of_code(format!("subc.{name} (after add.cc)"), code, &[value; 4], &[value; 2]));
    let code = format!("sub.cc.{name} d, a, b;\naddc.{name} e, c, f;");
    list.push(Form::of_code(format!("addc.{name} (after sub.cc)"), code, &[value; 4], &[value; 2]));
    for part in ["lo", "hi"] {
        let code = format!("mad.{part}.cc.{name} d, a, b, c;\naddc.{name} e, f, 0;");
        list.push(Form::of_code(format!("mad.{part}.cc.{name}"), code, &[value; 4], &[value; 2]));
        let code = format!("add.cc.{name} d, a, f;\nmadc.{part}.{name} e, a, b, c;");
        list.push(Form::of_code(format!("madc.{part}.{name}"), code, &[value; 4], &[value; 2]));
        let code = format!(
            "add.cc.{name} e, a, f;\nmadc.{part}.cc.{name} d, a, b, c;\naddc.{name} e, 0, 0;"
        );
        list.push(Form::of_code(format!("madc.{part}.cc.{name}"), code, &[value; 4], &[value; 2]));
    }
    // The product of two words added to a number of two words.
    let code = format!("mad.lo.cc.{name} d, a, b, c;\nmadc.hi.{name} e, a, b, f;");
    list.push(Form::of_code(
        format!("madc.hi.{name} (of two words)"),
        code,
        &[value; 4],
        &[value; 2],
    ));
    list
}
