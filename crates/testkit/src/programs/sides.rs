//! Whether a side of a reported race is the line that an expectation names.

use warpsan_suite::{Expectation, Reported, Side};

/// Ends of names that a header puts in the place of the function's own.
const SUFFIXES: [&str; 4] = ["_ptsz", "_ptds", "_v2", "_v3"];

/// Whether a reported race is the expected one. The lines of its sides are lines of the file with this text.
pub(crate) fn matches(race: &Reported, expectation: &Expectation, text: &str) -> bool {
    let (one, other) = expectation.lines;
    let is = |side: &Side, line: u64| is_line(side, line, text);
    let [first, second] = &race.sides;
    race.kind == expectation.kind
        && expectation.severity.as_ref().is_none_or(|severity| *severity == race.severity)
        && ((is(first, one) && is(second, other)) || (is(first, other) && is(second, one)))
}

/// A side whose line is not known can be a call of the runtime or an access of the host: it is the line that
/// names the same function, or a line that names none.
fn is_line(side: &Side, line: u64, text: &str) -> bool {
    if let Some(known) = side.line {
        return known == line;
    }
    let index = usize::try_from(line).unwrap_or_default().saturating_sub(1);
    match text.lines().nth(index).and_then(function_called) {
        Some(function) => words(&side.instruction).any(|word| without_suffix(word) == function),
        None => words(&side.instruction).any(|word| word == "host"),
    }
}

/// The first function of the runtime that a line calls.
fn function_called(line: &str) -> Option<&str> {
    words(line).find(|word| {
        let is_name =
            word.strip_prefix("cuda").is_some_and(|rest| rest.starts_with(char::is_uppercase));
        // The word is a part of the line, so the distance of their beginnings is its place.
        let end = word.as_ptr() as usize - line.as_ptr() as usize + word.len();
        is_name && line[end..].starts_with(['(', '<'])
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

fn without_suffix(name: &str) -> &str {
    SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_suite::expectations_of;

    const TEXT: &str = "data[i] = i;\n\
        CHECK(cudaMemcpyAsync(to, from, 4, cudaMemcpyDefault, s));  //~ race: inter-kernel error (with line 1)\n\
        seen = host[0];  //~ race: inter-kernel error (with line 1)\n";

    fn race(line: Option<u64>, instruction: &str) -> Reported {
        let known = Side { line: Some(1), instruction: "st.global".to_owned() };
        let other = Side { line, instruction: instruction.to_owned() };
        let (kind, severity) = ("inter-kernel".to_owned(), "error".to_owned());
        let (sides, advice) = ([other, known], String::new());
        Reported {
            kind,
            severity,
            sides,
            is_within_a_warp: false,
            count: 1,
            group: Some(1),
            advice,
        }
    }

    /// Which of the two expectations this race meets.
    fn met(race: &Reported) -> Vec<bool> {
        let expectations = expectations_of(TEXT, "hb").expect("they read");
        expectations.iter().map(|expectation| matches(race, expectation, TEXT)).collect()
    }

    #[test]
    fn a_line_that_is_known_decides() {
        assert_eq!(met(&race(Some(2), "cudaMemset")), [true, false]);
        assert_eq!(met(&race(Some(3), "cudaMemcpyAsync")), [false, true]);
        assert_eq!(met(&race(Some(1), "host")), [false, false]);
    }

    #[test]
    fn a_side_without_a_line_is_known_by_the_function() {
        assert_eq!(met(&race(None, "cudaMemcpyAsync")), [true, false]);
        assert_eq!(met(&race(None, "write by cudaMemcpyAsync_ptsz")), [true, false]);
        assert_eq!(met(&race(None, "cudaMemcpy")), [false, false]);
        assert_eq!(met(&race(None, "read by the host")), [false, true]);
        assert_eq!(met(&race(None, "ld.global")), [false, false]);
    }

    #[test]
    fn enumerators_and_other_words_are_no_calls() {
        assert_eq!(function_called("x = cudaMemcpyDefault; my_cudaFree(p); cudart(3);"), None);
        assert_eq!(function_called("CHECK(cudaFree(p));"), Some("cudaFree"));
        assert_eq!(function_called("cudaMallocAsync<int>(&p, 4, s);"), Some("cudaMallocAsync"));
    }
}
