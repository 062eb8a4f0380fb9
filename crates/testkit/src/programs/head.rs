//! The comments at the head of a program, which say how it is built and how it ends.

use anyhow::Context;

/// Comments count as the head of a program up to this line.
const LINES: usize = 12;

/// What the head of a program says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Whether it has a race.
    pub is_racy: bool,
    /// Whether a fault stops one of its launches, so that the rest of that launch is not covered.
    pub is_stopped: bool,
    /// More flags of nvcc.
    pub flags: Vec<String>,
    /// The architecture, as in `sm_90`.
    pub architecture: Option<String>,
    /// More files of the program, below the folder of the suite.
    pub sources: Vec<String>,
    /// Files that are built as shared objects beside the program.
    pub plugins: Vec<String>,
    /// Its own exit code; 128 plus the number of a signal that ended it.
    pub exit: u8,
    /// The first CUDA that can compile it, as in `13.0`.
    pub needs: Option<String>,
}

impl Head {
    /// Reads the head of a program's text.
    pub(crate) fn read(text: &str) -> anyhow::Result<Self> {
        let mut head = Head::default();
        let mut verdict = None;
        for line in text.lines().take(LINES) {
            let Some((key, value)) =
                line.strip_prefix("// ").and_then(|rest| rest.split_once(": "))
            else {
                continue;
            };
            let value = value.trim();
            let words = || value.split_whitespace().map(str::to_owned);
            match key {
                "verdict" => verdict = Some(value),
                "flags" => head.flags.extend(words()),
                "arch" => head.architecture = Some(value.to_owned()),
                "sources" => head.sources.extend(words()),
                "plugin" => head.plugins.extend(words()),
                "exit" => {
                    let number = value.parse().ok();
                    head.exit = number.with_context(|| format!("`{line}` names no exit code"))?;
                }
                "needs" => head.needs = Some(value.to_owned()),
                _ => {}
            }
        }
        (head.is_racy, head.is_stopped) = match verdict {
            Some("race") => (true, false),
            Some("clean") => (false, false),
            Some("race, stopped") => (true, true),
            Some("clean, stopped") => (false, true),
            _ => anyhow::bail!("its head has no `// verdict: clean` or `// verdict: race`"),
        };
        Ok(head)
    }

    /// Whether a compiler of this version, as in `13.0.88`, can compile it.
    pub fn can_be_compiled_by(&self, version: &str) -> bool {
        let numbers = |text: &str| -> Vec<u32> {
            text.split('.').map(|number| number.parse().unwrap_or(0)).collect()
        };
        self.needs.as_ref().is_none_or(|needs| numbers(version) >= numbers(needs))
    }
}

#[cfg(test)]
mod tests {
    use super::Head;

    #[test]
    fn every_line_of_a_head_is_read() {
        let text = "// What it shows: much.\n// verdict: race\n// flags: -rdc=true  -DN=4\n// arch: sm_80\n\
                    // sources: parts/a.cu\n// plugin: parts/b.cu\n// exit: 134\n// needs: 13.0\n// driver: dlopen\n";
        let head = Head::read(text).expect("a head");
        let expected = Head {
            is_racy: true,
            is_stopped: false,
            flags: vec!["-rdc=true".to_owned(), "-DN=4".to_owned()],
            architecture: Some("sm_80".to_owned()),
            sources: vec!["parts/a.cu".to_owned()],
            plugins: vec!["parts/b.cu".to_owned()],
            exit: 134,
            needs: Some("13.0".to_owned()),
        };
        assert_eq!(head, expected);
        assert_eq!(Head::read("// verdict: clean").expect("a head"), Head::default());
        let stopped = Head { is_stopped: true, ..Head::default() };
        assert_eq!(Head::read("// verdict: clean, stopped").expect("a head"), stopped);
    }

    #[test]
    fn a_head_without_a_verdict_or_with_a_wrong_code_is_an_error() {
        assert!(Head::read("// What.\n").is_err());
        assert!(Head::read("// verdict: perhaps\n").is_err());
        assert!(Head::read("// verdict: clean\n// exit: 300\n").is_err());
        let far_down = format!("{}// verdict: clean\n", "\n".repeat(12));
        assert!(Head::read(&far_down).is_err());
    }

    #[test]
    fn versions_are_compared_by_number() {
        let needs = |version: &str| Head { needs: Some(version.to_owned()), ..Head::default() };
        assert!(needs("13.0").can_be_compiled_by("13.0.88"));
        assert!(!needs("13.0").can_be_compiled_by("12.9.86"));
        assert!(needs("12.9").can_be_compiled_by("12.10.1"));
        assert!(Head::default().can_be_compiled_by("11.0"));
    }
}
