//! Reading compiler flags as nvcc and NVRTC read them: a value stands after `=` or as the next word.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Flags whose value may be glued to their single letter, as in `-Ifolder`.
const GLUED: [&str; 3] = ["-I", "-D", "-U"];

/// The values of all flags that have one of the given names, in order.
pub(crate) fn values<'a>(flags: &'a [OsString], names: &[&str]) -> Vec<&'a OsStr> {
    let mut found = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        for name in names {
            if flag == name {
                found.extend(rest.next().map(OsString::as_os_str));
                break;
            }
            if let Some(value) = value_in_same_word(flag, name) {
                found.push(value);
                break;
            }
        }
    }
    found
}

/// Whether a flag without a value, or a flag with one, is among the given.
pub(crate) fn mentions(flags: &[OsString], names: &[&str]) -> bool {
    let is_named = |flag: &OsString| {
        names.iter().any(|name| flag == name || value_in_same_word(flag, name).is_some())
    };
    flags.iter().any(is_named)
}

fn value_in_same_word<'a>(flag: &'a OsStr, name: &str) -> Option<&'a OsStr> {
    let rest = flag.as_bytes().strip_prefix(name.as_bytes())?;
    let value = match rest.strip_prefix(b"=") {
        Some(value) => value,
        None if GLUED.contains(&name) && !rest.is_empty() => rest,
        None => return None,
    };
    Some(OsStr::from_bytes(value))
}

/// Puts a flag and its value, given as two words, into one: NVRTC takes each option as one string.
pub(crate) fn join_two_word_flags(flags: &[OsString]) -> Vec<OsString> {
    const WITH_VALUE: [&str; 13] = [
        "-std",
        "--std",
        "-arch",
        "--gpu-architecture",
        "--include-path",
        "--define-macro",
        "--undefine-macro",
        "-include",
        "--pre-include",
        "-maxrregcount",
        "--maxrregcount",
        "-diag-suppress",
        "--diag-suppress",
    ];
    let mut joined = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let separator: &[u8] = if GLUED.iter().any(|name| flag == name) {
            b""
        } else if WITH_VALUE.iter().any(|name| flag == name) {
            b"="
        } else {
            joined.push(flag.clone());
            continue;
        };
        let value = rest.next().map(|value| value.as_bytes()).unwrap_or_default();
        joined.push(OsString::from_vec([flag.as_bytes(), separator, value].concat()));
    }
    joined
}

/// Splits a variable such as `NVCC_APPEND_FLAGS` or an options file at white space.
pub(crate) fn split_words(text: &OsStr) -> Vec<OsString> {
    text.as_bytes()
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(|word| OsStr::from_bytes(word).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        split_words(OsStr::new(text))
    }

    #[test]
    fn values_are_found_in_all_three_spellings() {
        let flags = words("-Ia -I b --include-path=c -lineinfo -I=d x.cu");
        assert_eq!(values(&flags, &["-I", "--include-path"]), ["a", "b", "c", "d"]);
        assert!(mentions(&flags, &["-lineinfo"]));
        assert!(!mentions(&flags, &["-line"]));
        assert!(mentions(&words("--cudart=static"), &["-cudart", "--cudart"]));
        assert!(!mentions(&words("-cudartx"), &["-cudart"]));
    }

    #[test]
    fn two_words_become_one() {
        let joined = join_two_word_flags(&words("-D A=1 -std c++20 -I x -DB -G --std=c++17"));
        assert_eq!(joined, words("-DA=1 -std=c++20 -Ix -DB -G --std=c++17"));
    }
}
