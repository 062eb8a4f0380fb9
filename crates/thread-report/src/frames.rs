//! Records as bytes: frames of the log, with a record as JSON in each.

use warpsan_evidence::{frame, read_frames};

use crate::Record;

/// The bytes of a record; none where it is larger than any frame.
pub fn encode(record: &Record) -> Option<Vec<u8>> {
    frame(&serde_json::to_vec(record).ok()?)
}

/// The whole records at the start of a stream, and whether that was all: a process that is killed leaves at most one that is cut off.
pub fn decode(bytes: &[u8]) -> (Vec<Record>, bool) {
    read_frames(bytes, |payload| serde_json::from_slice(payload).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LostRecord, RaceCount};

    fn records() -> Vec<Record> {
        let lost = LostRecord {
            what: "half of it".to_string(),
            place: "here".to_string(),
            advice: "look again".to_string(),
        };
        vec![Record::Counts(vec![RaceCount { number: 1, count: 2 }]), Record::Lost(lost)]
    }

    #[test]
    fn records_come_back_as_they_were() {
        let bytes: Vec<u8> = records().iter().filter_map(encode).flatten().collect();
        assert_eq!(decode(&bytes), (records(), true));
    }

    #[test]
    fn a_record_that_is_cut_off_or_damaged_ends_the_stream() {
        let bytes: Vec<u8> = records().iter().filter_map(encode).flatten().collect();
        let (read, whole) = decode(&bytes[..bytes.len() - 1]);
        assert_eq!((read.len(), whole), (1, false));
        let mut damaged = bytes;
        damaged[10] ^= 1;
        let (read, whole) = decode(&damaged);
        assert_eq!((read.len(), whole), (0, false));
    }
}
