//! The forms, by chapter of the PTX manual's "Instruction Set".

mod approximate;
mod bits;
mod carry;
mod compare;
mod convert;
mod float;
mod half;
mod integer;
mod narrow;
mod select;
mod video;

use super::Form;

/// The groups, each with the function that lists its forms.
type Group = (&'static str, fn() -> Vec<Form>);

const LISTS: [Group; 11] = [
    ("integer", integer::forms),
    ("carry", carry::forms),
    ("bits", bits::forms),
    ("compare", compare::forms),
    ("select", select::forms),
    ("float", float::forms),
    ("approximate", approximate::forms),
    ("half", half::forms),
    ("convert", convert::forms),
    ("narrow", narrow::forms),
    ("video", video::forms),
];

/// The names of the groups: the outputs of each are in a file of their own.
pub const GROUPS: [&str; LISTS.len()] = {
    let mut names = [""; LISTS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = LISTS[index].0;
        index += 1;
    }
    names
};

/// All forms.
pub fn forms() -> Vec<Form> {
    let mut all = Vec::new();
    for (group, list) in LISTS {
        all.extend(list().into_iter().map(|form| Form { group, ..form }));
    }
    all
}

/// The rounding modes of floating-point results.
const ROUNDINGS: [&str; 4] = [".rn", ".rz", ".rm", ".rp"];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::forms;

    #[test]
    fn no_two_kernels_have_the_same_name() {
        let mut names = HashSet::new();
        for form in forms() {
            assert!(names.insert(form.kernel_name()), "{} is there twice", form.name);
        }
    }
}
