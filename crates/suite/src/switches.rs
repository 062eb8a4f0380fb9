//! The switches of a program: races that are off unless it is started with `--race N`.

use crate::error::CommentError;

/// How many switches a program has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// All of them, from 1.
    pub races: u32,
    /// Those, the last ones, whose races are between lanes of one warp.
    pub its: u32,
}

/// The comments that say so, as in `//@ races: 7` and `//@ its: 5`.
const RACES: &str = "//@ races:";
const ITS: &str = "//@ its:";

impl Switches {
    /// Those that the text of a program names, or the line that does not read.
    pub fn of(text: &str) -> Result<Switches, CommentError> {
        let (races, its) = (number_after(RACES, text)?, number_after(ITS, text)?);
        if its > races {
            return Err(CommentError::TooManyIts { its_word: ITS, its, races_word: RACES, races });
        }
        Ok(Switches { races, its })
    }
}

/// The number behind a word that begins a line; 0 if there is no such line.
fn number_after(word: &'static str, text: &str) -> Result<u32, CommentError> {
    let Some(number) = text.lines().find_map(|line| line.strip_prefix(word)) else { return Ok(0) };
    let no_number = |_| CommentError::NoNumber { word, number: number.to_owned() };
    number.trim().parse().map_err(no_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{expectations_of, read_programs};
    use std::path::{Path, PathBuf};

    fn suite(folder: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/scor").join(folder)
    }

    #[test]
    fn numbers_are_read_and_nothing_else() {
        let text = "// x\n//@ races: 7\n//@ its: 5\n";
        assert_eq!(Switches::of(text), Ok(Switches { races: 7, its: 5 }));
        assert_eq!(Switches::of("// races: 7"), Ok(Switches::default()));
        assert!(Switches::of("//@ races: many").is_err());
        assert!(Switches::of("//@ races: 2\n//@ its: 3").is_err());
    }

    #[test]
    fn the_small_programs_are_those_of_the_papers_table_i() {
        for detector in ["scord", "iguard"] {
            let programs = read_programs(&suite("micro"), detector).expect("they read");
            let count = |group: &str, racy: bool| {
                let of_group = programs.iter().filter(|program| program.name.starts_with(group));
                of_group.filter(|program| program.is_racy() == racy).count()
            };
            let counts = ["fence_", "atomic_", "lock_"]
                .map(|group| (count(group, true), count(group, false)));
            // One clean program with a lock is ours: its two warps take it with different scopes.
            assert_eq!(counts, [(2, 4), (4, 5), (12, 5 + 1)], "{detector}");
            assert_eq!(programs.len(), 32 + 1);
        }
    }

    #[test]
    fn the_applications_have_the_races_of_the_papers_table_vi_and_those_of_iguard() {
        for (name, races, its) in [
            ("matrix_multiplication", 4, 0),
            ("reduction", 7, 5),
            ("rule_110", 2, 0),
            ("graph_colouring", 6, 0),
            ("graph_connectivity", 5, 0),
            ("convolution_1d", 1, 0),
            ("unbalanced_tree_search", 6, 0),
        ] {
            let path = suite("apps").join(name).with_extension("cu");
            let text = std::fs::read_to_string(path).expect("the program");
            assert_eq!(Switches::of(&text), Ok(Switches { races, its }), "{name}");
            for detector in ["scord", "iguard", "hb"] {
                let expectations = expectations_of(&text, detector).expect("they read");
                assert!(expectations.iter().all(|one| !one.switches.is_empty()), "{name} is clean");
                for switch in 1..=races {
                    // A warp is one thread to ScoRD.
                    let is_seen = detector != "scord" || switch <= races - its;
                    let is_expected = expectations.iter().any(|one| one.is_with(switch));
                    assert_eq!(is_expected, is_seen, "{name}, race {switch}, {detector}");
                }
            }
        }
    }

    #[test]
    fn every_expectation_names_a_rule_of_its_detector() {
        for folder in ["micro", "apps"] {
            for detector in ["scord", "iguard", "hb"] {
                for program in read_programs(&suite(folder), detector).expect("they read") {
                    for expectation in &program.expectations {
                        let rule = expectation.rule.as_deref().unwrap_or_default();
                        let is_own = rule.split(' ').next() == Some(detector);
                        assert!(is_own, "{}: {expectation:?}", program.name);
                    }
                }
            }
        }
    }
}
