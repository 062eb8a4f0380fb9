//! What is not answered yet.

use crate::call::call_without_device;
use crate::driver::entry_points::is_exported;
use std::ffi::{CStr, c_char};
use warpsan_runtime::machine::error::CudaError;

/// Every entry point without a function of its own jumps here, with its name in place of its
/// first argument.
#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_unsupported(entry_point: *const c_char) -> CudaError {
    // SAFETY: the jump table passes a string of its own.
    let entry_point = unsafe { CStr::from_ptr(entry_point) }.to_string_lossy();
    call_without_device(&entry_point, |machine| match is_exported(&entry_point) {
        true => machine.refuse_driver_function(&entry_point),
        false => machine.refuse(&entry_point),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;
    use warpsan_runtime::machine::state::Machine;
    use warpsan_runtime::{Options, Session};

    /// `cudaErrorNotSupported`.
    const NOT_SUPPORTED: CudaError = CudaError(801);

    const LISTS: [(&str, &str); 3] = [
        ("12", include_str!("../symbols/cudart-12.txt")),
        ("13", include_str!("../symbols/cudart-13.txt")),
        ("", include_str!("../symbols/cuda-driver.txt")),
    ];

    /// The functions of this library that answer entry points, as its sources define them.
    fn answers() -> BTreeSet<String> {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut found = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the sources") {
                let path = entry.expect("a file").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.extend(names_in(&std::fs::read_to_string(path).expect("a source")));
                }
            }
        }
        found
    }

    #[test]
    fn functions_of_the_driver_are_known_by_its_list() {
        assert!(is_exported("cuMemAlloc") && is_exported("cuLaunchKernel"));
        assert!(!is_exported("cudaGraphLaunch") && !is_exported("cu"));
    }

    /// Names stand in definitions, or in what macros make them of.
    fn names_in(text: &str) -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.filter(|word| word.starts_with("wsrt")).map(str::to_owned).collect()
    }

    /// The names of a list that nothing answers.
    fn unanswered(version: &str, names: &str, answers: &BTreeSet<String>) -> BTreeSet<String> {
        let is_answered = |name: &str| {
            answers.contains(&format!("wsrt{version}_{name}"))
                || answers.contains(&format!("wsrt_{name}"))
        };
        let without_suffix = |name: &str| {
            ["_ptsz", "_ptds"]
                .iter()
                .any(|suffix| name.strip_suffix(suffix).is_some_and(is_answered))
        };
        let left = names.lines().filter(|name| !is_answered(name) && !without_suffix(name));
        left.map(str::to_owned).collect()
    }

    #[test]
    fn every_entry_point_without_an_answer_is_refused_and_listed_once() {
        let answers = answers();
        assert!(answers.contains("wsrt_cudaLaunchKernel"), "the sources are read");
        let mut left = BTreeSet::new();
        for (version, names) in LISTS {
            let of_list = unanswered(version, names, &answers);
            assert!(of_list.len() < names.lines().count(), "something is answered");
            left.extend(of_list);
        }
        let session = Session::in_memory(Options::default()).expect("a session");
        let mut machine = Machine::with_session(session);
        for name in left.iter().chain(&left) {
            assert_eq!(machine.refuse::<()>(name), Err(NOT_SUPPORTED), "{name}");
        }
        let report = machine.into_session().expect("a session").into_report();
        let not_covered: Vec<&str> =
            report.not_covered.iter().map(|missing| &*missing.what).collect();
        for name in &left {
            let expected = format!("{name} is not supported yet");
            let count = not_covered.iter().filter(|what| **what == expected).count();
            assert_eq!(count, 1, "{name}");
        }
    }
}
