//! The detectors for threads. Each is a library of its own, in which the tool is compiled into every check.

/// A detector for threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ThreadDetector {
    /// The default: exact, and small where threads do not share.
    #[default]
    SlimFast,
    /// The algorithm that the other improves on.
    FastTrack,
    /// Follows accesses, and checks none: for measuring.
    Empty,
}

impl ThreadDetector {
    pub(crate) const ALL: [ThreadDetector; 3] =
        [ThreadDetector::SlimFast, ThreadDetector::FastTrack, ThreadDetector::Empty];

    /// Its name on the command line and in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ThreadDetector::SlimFast => "slimfast",
            ThreadDetector::FastTrack => "fasttrack",
            ThreadDetector::Empty => "empty",
        }
    }

    /// What it is, for help texts.
    pub(crate) fn help(self) -> &'static str {
        match self {
            ThreadDetector::SlimFast => {
                "For threads: SlimFast, which is also used where no name is given"
            }
            ThreadDetector::FastTrack => "For threads: FastTrack",
            ThreadDetector::Empty => "For threads: nothing is checked",
        }
    }

    /// Whether users are to see it among the others.
    pub(crate) fn is_hidden(self) -> bool {
        self == ThreadDetector::Empty
    }

    /// Whether it can find a race.
    pub(crate) fn finds_races(self) -> bool {
        self != ThreadDetector::Empty
    }

    /// The detector with this name.
    pub(crate) fn of_name(name: &str) -> Option<ThreadDetector> {
        Self::ALL.into_iter().find(|detector| detector.name() == name)
    }
}
