use crate::record::Record;
use crate::recording::Recording;
use crate::report_file::ReportFile;
use std::collections::HashMap;
use warpsan_detect::Detector;
use warpsan_event::KernelFacts;
use warpsan_report::{NotCovered, Race, RaceKey, RaceSink};

/// Where records go.
#[derive(Debug)]
enum Destination {
    /// To a file, at once.
    File(ReportFile),
    /// To memory, for a session inside of the command itself.
    Memory(Vec<Record>),
}

/// Takes what is found and writes it down, each thing once.
#[derive(Debug)]
pub(crate) struct Journal {
    destination: Destination,
    races: HashMap<RaceKey, usize>,
    not_covered: Vec<NotCovered>,
    /// Takes what is written, too.
    pub(crate) recording: Option<Recording>,
}

impl Journal {
    pub(crate) fn to_file(file: ReportFile) -> Journal {
        Self::new(Destination::File(file))
    }

    pub(crate) fn to_memory() -> Journal {
        Self::new(Destination::Memory(Vec::new()))
    }

    fn new(destination: Destination) -> Journal {
        Journal { destination, races: HashMap::new(), not_covered: Vec::new(), recording: None }
    }

    pub(crate) fn write(&mut self, record: Record) {
        if let Some(recording) = &self.recording {
            recording.remark(&record);
        }
        self.keep(record);
    }

    fn keep(&mut self, record: Record) {
        match &mut self.destination {
            Destination::File(file) => {
                if let Err(error) = file.append(&record) {
                    tracing::error!("cannot write to the report file: {error}");
                }
            }
            Destination::Memory(records) => records.push(record),
        }
    }

    pub(crate) fn not_covered(&mut self, missing: NotCovered) {
        if self.is_new(&missing) {
            self.write(Record::NotCovered(missing));
        }
    }

    /// What the detector does not know about in this kernel. Another detector may: it is not
    /// recorded.
    pub(crate) fn not_covered_by_detector(&mut self, detector: &dyn Detector, facts: &KernelFacts) {
        let Some(what) = detector.not_covered(facts) else { return };
        let missing = NotCovered {
            what,
            place: format!("kernel `{}`", facts.display_name),
            advice:
                "races in this kernel may be missed, and accesses that are ordered may be reported"
                    .to_string(),
        };
        if self.is_new(&missing) {
            self.keep(Record::NotCovered(missing));
        }
    }

    /// Each thing is told once.
    fn is_new(&mut self, missing: &NotCovered) -> bool {
        let new = !self.not_covered.contains(missing);
        if new {
            tracing::warn!("not checked: {}, {}", missing.what, missing.place);
            self.not_covered.push(missing.clone());
        }
        new
    }

    /// The records of a session in memory.
    pub(crate) fn into_records(self) -> Vec<Record> {
        match self.destination {
            Destination::Memory(records) => records,
            Destination::File(_) => Vec::new(),
        }
    }
}

impl RaceSink for Journal {
    fn race(&mut self, race: Race) {
        let key = race.key();
        if self.races.contains_key(&key) {
            self.seen_again(&key, race.count);
        } else {
            self.races.insert(key, self.races.len());
            self.write(Record::Race(Box::new(race)));
        }
    }

    fn seen_again(&mut self, key: &RaceKey, times: u64) {
        if let Some(&race) = self.races.get(key) {
            self.write(Record::SeenAgain { race, times });
        }
    }
}
