//! What a bench is run under.

use std::fmt;

/// Who compiled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// gcc, without a sanitizer.
    Native,
    /// gcc with `-fsanitize=thread`.
    Gcc,
    /// clang with `-fsanitize=thread`.
    Clang,
}

/// One way to run a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// As it is.
    Native,
    /// With the runtime of its compiler.
    OwnRuntime(Code),
    /// Under `warpsan run`, with this detector.
    Warpsan(Code, &'static str),
}

/// The detectors of warpsan for programs with threads; the first one looks at nothing.
const DETECTORS: [&str; 3] = ["empty", "fasttrack", "slimfast"];

impl Tool {
    /// The code that it is run with.
    pub fn code(self) -> Code {
        match self {
            Tool::Native => Code::Native,
            Tool::OwnRuntime(code) | Tool::Warpsan(code, _) => code,
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |code: &Code| match code {
            Code::Native => "native",
            Code::Gcc => "gcc",
            Code::Clang => "clang",
        };
        match self {
            Tool::Native => f.write_str("native"),
            Tool::OwnRuntime(code) => write!(f, "{} own", of(code)),
            Tool::Warpsan(code, detector) => write!(f, "{} {detector}", of(code)),
        }
    }
}

/// Without warpsan.
pub fn baselines() -> Vec<Tool> {
    vec![Tool::Native, Tool::OwnRuntime(Code::Gcc), Tool::OwnRuntime(Code::Clang)]
}

/// Everything, in the order of the tables.
pub fn all_tools() -> Vec<Tool> {
    let with = |code| {
        std::iter::once(Tool::OwnRuntime(code))
            .chain(DETECTORS.map(|detector| Tool::Warpsan(code, detector)))
    };
    std::iter::once(Tool::Native).chain(with(Code::Gcc)).chain(with(Code::Clang)).collect()
}
