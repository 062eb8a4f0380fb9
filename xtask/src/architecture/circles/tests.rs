//! Small crates, written as text: which of their files import each other in a circle.

use std::path::PathBuf;

use super::{Circle, circles_of_package};

/// The circles of a crate with these files.
fn circles(files: &[(&str, &str)]) -> Vec<Circle> {
    let sources =
        files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
    circles_of_package("made-up", &sources).expect("the crate is understood")
}

/// The files of the only circle.
fn only_circle(files: &[(&str, &str)]) -> Vec<String> {
    let found = circles(files);
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].files.iter().map(|file| file.display().to_string()).collect()
}

const TWO_CHILDREN: (&str, &str) = ("lib.rs", "mod a; mod b;");

#[test]
fn files_that_import_each_other_are_a_circle() {
    let files = [
        TWO_CHILDREN,
        ("a.rs", "use crate::b::g; pub fn f() { g() }"),
        ("b.rs", "use super::a; pub fn g() { a::f() }"),
    ];
    assert_eq!(only_circle(&files), ["a.rs", "b.rs"]);
    let circle = circles(&files).remove(0);
    assert_eq!(circle.to_string(), "made-up: 2 files: a.rs b.rs");
    let uses: Vec<String> = circle.uses.iter().map(ToString::to_string).collect();
    assert_eq!(uses, ["a.rs uses b.rs: crate::b::g, g", "b.rs uses a.rs: a::f"]);
}

#[test]
fn one_direction_is_no_circle() {
    let found = circles(&[
        TWO_CHILDREN,
        ("a.rs", "use crate::b::g; pub fn f() { g() }"),
        ("b.rs", "pub fn g() {}"),
    ]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_circle_goes_through_others_and_two_circles_are_two() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
        ("a.rs", "pub fn f() { crate::b::f() }"),
        ("b.rs", "pub fn f() { crate::c::f() }"),
        ("c.rs", "pub fn f() { crate::a::f(); crate::d::f() }"),
        ("d.rs", "pub fn f() { crate::e::f() }"),
        ("e.rs", "pub fn f() { crate::d::f() }"),
    ];
    let mut lengths: Vec<usize> = circles(&files).iter().map(|circle| circle.files.len()).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [2, 3]);
}

#[test]
fn a_module_is_made_of_the_modules_inside_it() {
    let found = circles(&[
        ("lib.rs", "mod a; pub struct Shared; pub fn run() { a::f(Shared) }"),
        ("a.rs", "mod b; use super::Shared; pub fn f(_: Shared) { b::g() } pub fn h() {}"),
        ("a/b.rs", "pub fn g() { super::h() }"),
    ]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn what_others_use_of_the_modules_inside_counts() {
    let files = [
        ("lib.rs", "mod a; mod c;"),
        ("a.rs", "pub mod b; pub fn f() { b::g() }"),
        ("a/b.rs", "pub fn g() { crate::c::h() }"),
        ("c.rs", "pub fn h() { crate::a::b::g() }"),
    ];
    assert_eq!(only_circle(&files), ["a/b.rs", "c.rs"]);
}

#[test]
fn a_parent_that_declares_and_re_exports_its_child_does_not_use_it() {
    let found = circles(&[
        ("lib.rs", "mod a; pub use a::f; pub struct Shared;"),
        ("a.rs", "use super::Shared; pub fn f(_: Shared) {}"),
    ]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn re_exports_lead_to_the_file_that_defines() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::f as first; pub(crate) use self::b::*;"),
        ("a.rs", "use crate::G; pub fn f(_: G) {}"),
        ("b.rs", "pub struct G; pub fn g() { super::first(G) }"),
    ];
    assert_eq!(only_circle(&files), ["a.rs", "b.rs"]);
}

#[test]
fn a_chain_of_re_exports_is_followed() {
    let files = [
        ("lib.rs", "mod outer; mod b;"),
        ("outer/mod.rs", "mod inner; pub use inner::*;"),
        ("outer/inner.rs", "mod deep; pub use deep::Thing;"),
        ("outer/inner/deep.rs", "pub struct Thing(crate::b::G);"),
        ("b.rs", "pub struct G(Box<crate::outer::Thing>);"),
    ];
    assert_eq!(only_circle(&files), ["b.rs", "outer/inner/deep.rs"]);
}

#[test]
fn names_of_a_glob_import_lead_to_their_files() {
    let files = [
        ("lib.rs", "mod a; mod b; pub(crate) use a::Thing;"),
        ("a.rs", "pub struct Thing(crate::b::G);"),
        ("b.rs", "use super::*; pub struct G(Box<Thing>);"),
    ];
    assert_eq!(only_circle(&files), ["a.rs", "b.rs"]);
}

#[test]
fn a_module_and_a_function_may_have_the_same_name() {
    let files = [
        ("lib.rs", "mod run; mod b; use run::run; pub fn start() { run() }"),
        ("run.rs", "pub fn run() { crate::b::g() }"),
        ("b.rs", "pub fn g() { crate::run::run() }"),
    ];
    assert_eq!(only_circle(&files), ["b.rs", "run.rs"]);
}

#[test]
fn paths_inside_of_macros_count() {
    let files = [
        TWO_CHILDREN,
        ("a.rs", "pub fn f() { assert_eq!(x.crate_, vec![crate::b::g()]) }"),
        ("b.rs", "macro_rules! m { () => { $crate::a::f() } } pub fn g() { m!() }"),
    ];
    assert_eq!(only_circle(&files), ["a.rs", "b.rs"]);
}

#[test]
fn what_a_macro_defines_belongs_to_the_file_of_its_module() {
    let files = [
        TWO_CHILDREN,
        ("a.rs", "make! { pub struct Thing(crate::b::G); }"),
        ("b.rs", "pub struct G(Box<crate::a::Thing>);"),
    ];
    assert_eq!(only_circle(&files), ["a.rs", "b.rs"]);
}

#[test]
fn modules_inside_a_file_belong_to_it() {
    let files = [
        TWO_CHILDREN,
        ("a.rs", "pub mod inner { use super::super::b::g; pub fn f() { g() } }"),
        ("b.rs", "pub fn g() { crate::a::inner::f() }"),
    ];
    assert_eq!(only_circle(&files), ["a.rs", "b.rs"]);
}

#[test]
fn a_path_attribute_names_the_file() {
    let files = [
        ("lib.rs", "#[path = \"elsewhere/x.rs\"] mod a; mod b;"),
        ("elsewhere/x.rs", "pub fn f() { crate::b::g() }"),
        ("b.rs", "pub fn g() { crate::a::f() }"),
    ];
    assert_eq!(only_circle(&files), ["b.rs", "elsewhere/x.rs"]);
}

#[test]
fn tests_do_not_count() {
    for test in [
        "#[cfg(test)] mod tests { use crate::a::f; fn t() { f() } }",
        "#[cfg(test)] mod tests;",
        "#[cfg(all(test, unix))] fn t() { crate::a::f() }",
        "#[test] fn t() { crate::a::f() }",
        "pub struct S; impl S { #[cfg(test)] fn t() { crate::a::f() } }",
    ] {
        let found = circles(&[
            TWO_CHILDREN,
            ("a.rs", "pub fn f() { crate::b::g() }"),
            ("b.rs", &format!("pub fn g() {{}} {test}")),
        ]);
        assert!(found.is_empty(), "{test}: {found:#?}");
    }
    let support = "#[cfg(any(test, feature = \"support\"))] pub fn t() { crate::a::f() }";
    let files = [
        TWO_CHILDREN,
        ("a.rs", "pub fn f() { crate::b::g() }"),
        ("b.rs", &format!("pub fn g() {{}} {support}")),
    ];
    assert_eq!(only_circle(&files), ["a.rs", "b.rs"]);
}

#[test]
fn other_crates_and_local_names_do_not_count() {
    let found = circles(&[
        ("lib.rs", "mod a; mod b; pub use serde::Serialize;"),
        ("a.rs", "use crate::Serialize; pub fn f() { ::b::g(); let b = 1; b; crate::b::g() }"),
        ("b.rs", "use serde; pub fn g(a: serde::A) { a; std::mem::take(a) }"),
    ]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn imports_in_circles_come_to_an_end() {
    let found = circles(&[
        TWO_CHILDREN,
        ("a.rs", "pub use super::b::*; pub fn f() { missing() }"),
        ("b.rs", "pub use super::a::*; pub use super::b::missing as missing;"),
    ]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_library_and_a_command_are_crates_of_their_own() {
    let found = circles(&[
        ("lib.rs", "pub mod a;"),
        ("a.rs", "pub fn f() {}"),
        ("main.rs", "mod b; mod c; fn main() { made_up::a::f(); b::g() }"),
        ("b.rs", "pub fn g() { super::c::h() }"),
        ("c.rs", "pub fn h() { super::b::g() }"),
    ]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].files, [PathBuf::from("b.rs"), PathBuf::from("c.rs")]);
}

#[test]
fn a_file_that_is_missing_or_no_rust_is_named() {
    for files in [&[("lib.rs", "mod gone;")][..], &[("lib.rs", "mod gone;"), ("gone.rs", "fn")]] {
        let sources =
            files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
        let error = circles_of_package("made-up", &sources).expect_err("it cannot be read");
        assert!(format!("{error:#}").contains("gone.rs"), "{error:#}");
    }
}
