//! What processes with threads have written to the log.

use std::collections::BTreeMap;
use warpsan_evidence::{Evidence, StreamKind};
use warpsan_thread_report::{End, LostRecord, RaceRecord, Record, Start, decode};

/// All that one process said.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ThreadProcess {
    /// Who it is; none where even that is damaged.
    pub(crate) start: Option<Start>,
    /// Its races.
    pub(crate) races: Vec<RaceRecord>,
    /// How often they were seen, by their numbers.
    pub(crate) counts: BTreeMap<u32, u64>,
    /// What was not checked, or not kept.
    pub(crate) lost: Vec<LostRecord>,
    /// How it ended; none where it did not say so.
    pub(crate) end: Option<End>,
    /// Nothing of it is cut off.
    pub(crate) is_whole: bool,
}

/// The processes that were checked for races among their threads, in the order in which they began.
pub(crate) fn processes(evidence: &Evidence) -> Vec<ThreadProcess> {
    evidence.of(StreamKind::Threads).map(process).collect()
}

fn process(bytes: &[u8]) -> ThreadProcess {
    let (records, is_whole) = decode(bytes);
    let mut process = ThreadProcess { is_whole, ..ThreadProcess::default() };
    for record in records {
        match record {
            Record::Start(start) => process.start = Some(start),
            Record::Race(race) => process.races.push(*race),
            Record::Counts(counts) => {
                process.counts.extend(counts.into_iter().map(|one| (one.number, one.count)));
            }
            Record::Lost(lost) => process.lost.push(lost),
            Record::End(end) => process.end = Some(end),
        }
    }
    process
}

impl ThreadProcess {
    /// How often a race was seen: once at least, if nothing else is said.
    pub(crate) fn count(&self, race: &RaceRecord) -> u64 {
        self.counts.get(&race.number).copied().unwrap_or(1).max(1)
    }

    /// How many threads it had: the count of its end, or as many as its races speak of.
    pub(crate) fn threads(&self) -> u64 {
        let spoken_of = || {
            let numbers = self.races.iter().flat_map(|race| &race.threads);
            numbers.map(|thread| u64::from(thread.number) + 1).max().unwrap_or(1)
        };
        self.end.as_ref().map_or_else(spoken_of, |end| end.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_thread_report::{RaceCount, encode};

    fn stream(records: &[Record]) -> Vec<u8> {
        records.iter().filter_map(encode).flatten().collect()
    }

    fn start() -> Record {
        Record::Start(Start {
            process: 7,
            fork_of: None,
            detector: "slimfast".to_string(),
            program: "/bin/app".to_string(),
        })
    }

    #[test]
    fn later_counts_replace_earlier_ones() {
        let counts = |count| Record::Counts(vec![RaceCount { number: 0, count }]);
        let end = End { threads: 3, statistics: Vec::new() };
        let bytes = stream(&[start(), counts(2), counts(9), Record::End(end)]);
        let streams = vec![(StreamKind::Threads, bytes), (StreamKind::Audit, vec![1])];
        let all = processes(&Evidence { streams, ..Evidence::default() });
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].counts[&0], all[0].threads(), all[0].is_whole), (9, 3, true));
    }

    #[test]
    fn what_is_cut_off_keeps_what_is_before_it() {
        let lost = LostRecord { what: "w".into(), place: "p".into(), advice: "a".into() };
        let bytes = stream(&[start(), Record::Lost(lost.clone()), Record::Counts(Vec::new())]);
        let cut = process(&bytes[..bytes.len() - 1]);
        assert!(!cut.is_whole && cut.start.is_some() && cut.end.is_none());
        assert_eq!((cut.lost, process(&[1, 2, 3]).start), (vec![lost], None));
    }
}
