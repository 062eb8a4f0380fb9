//! The detectors for threads. Each is a library of its own, in which the tool is compiled into every check; a model of hardware is for traces alone.

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
    /// The model of a multicore that checks in hardware.
    Parsnip,
}

impl ThreadDetector {
    /// Those that programs can run under.
    pub(crate) const OF_PROGRAMS: [ThreadDetector; 3] =
        [ThreadDetector::SlimFast, ThreadDetector::FastTrack, ThreadDetector::Empty];
    /// Those that traces can be replayed with.
    pub(crate) const OF_TRACES: [ThreadDetector; 4] = [
        ThreadDetector::SlimFast,
        ThreadDetector::FastTrack,
        ThreadDetector::Empty,
        ThreadDetector::Parsnip,
    ];

    /// Its name on the command line and in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ThreadDetector::SlimFast => "slimfast",
            ThreadDetector::FastTrack => "fasttrack",
            ThreadDetector::Empty => "empty",
            ThreadDetector::Parsnip => "parsnip",
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
            ThreadDetector::Parsnip => {
                "For threads: PARSNIP, a detector in hardware, by a model of it"
            }
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
        Self::OF_TRACES.into_iter().find(|detector| detector.name() == name)
    }
}
