//! The report file of a process: framed records, appended one by one.
//!
//! A frame is the payload's length and checksum, four bytes each, then the payload, which is JSON.
//! Each frame is one write to a file opened for appending, so a process that is killed leaves whole
//! frames and at most one that is cut off.

pub use crate::record::ProcessReport;
use crate::record::Record;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use warpsan_report::NotCovered;

const HEADER: usize = 8;
const EXTENSION: &str = "wsr";
/// More report files of one process number than this in one folder is a mistake.
const MOST_FILES: u32 = 10_000;

/// A file that records are appended to.
#[derive(Debug)]
pub(crate) struct ReportFile {
    file: File,
}

impl ReportFile {
    /// A new file of this process.
    pub(crate) fn create(folder: &Path) -> io::Result<ReportFile> {
        let process = std::process::id();
        for number in 0..MOST_FILES {
            let path = folder.join(format!("process-{process}-{number}.{EXTENSION}"));
            match OpenOptions::new().append(true).create_new(true).open(path) {
                Ok(file) => return Ok(ReportFile { file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("too many report files of one process"))
    }

    pub(crate) fn append(&mut self, record: &Record) -> io::Result<()> {
        let payload = serde_json::to_vec(record)?;
        let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
        let mut frame = Vec::with_capacity(HEADER + payload.len());
        frame.extend_from_slice(&length.to_le_bytes());
        frame.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
        frame.extend_from_slice(&payload);
        self.file.write_all(&frame)
    }
}

/// The reports of all processes that wrote into a folder, in the order of their names.
pub fn read_folder(folder: &Path) -> io::Result<Vec<ProcessReport>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            paths.push(path);
        }
    }
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let (records, whole) = records(&std::fs::read(path)?);
            let mut report = ProcessReport::from_records(records);
            if !whole {
                report.not_covered.push(NotCovered {
                    what: "the end of a process's report, which is cut off or damaged".to_string(),
                    place: "a process of the program".to_string(),
                    advice: "see whether the disk is full, and run it again".to_string(),
                });
            }
            Ok(report)
        })
        .collect()
}

/// The whole records at the start of a file, and whether that was all. What comes behind a frame that
/// is cut off or damaged was never written in good order.
fn records(mut bytes: &[u8]) -> (Vec<Record>, bool) {
    let mut records = Vec::new();
    while let Some((header, rest)) = bytes.split_at_checked(HEADER) {
        let number = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let Some((payload, rest)) = rest.split_at_checked(number(0) as usize) else { break };
        if crc32fast::hash(payload) != number(4) {
            break;
        }
        match serde_json::from_slice(payload) {
            Ok(record) => records.push(record),
            Err(_) => break,
        }
        bytes = rest;
    }
    (records, bytes.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, records: &[Record]) {
        let mut file = ReportFile::create(folder).unwrap();
        for record in records {
            file.append(record).unwrap();
        }
    }

    fn begin() -> Record {
        Record::LaunchBegin { kernel: "k".into(), has_line_information: true, unwatched: false }
    }

    #[test]
    fn each_file_is_a_process_and_counts_add_up() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[begin(), Record::LaunchEnd { accesses: 7 }, Record::End]);
        write(folder.path(), &[begin()]);
        let reports = read_folder(folder.path()).unwrap();
        assert_eq!(reports.len(), 2);
        assert_eq!((reports[0].launches, reports[0].accesses, reports[0].ended), (1, 7, true));
        assert!(reports[0].not_covered.is_empty());
        assert!(!reports[1].ended);
        assert_eq!(reports[1].not_covered[0].place, "kernel `k`", "a launch that was cut off");
    }

    #[test]
    fn a_file_cut_off_anywhere_keeps_its_whole_frames() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[begin(), Record::LaunchEnd { accesses: 7 }, Record::End]);
        let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let whole = std::fs::read(path).unwrap();
        let mut counts: Vec<usize> =
            (0..=whole.len()).map(|length| records(&whole[..length]).0.len()).collect();
        assert!(counts.is_sorted());
        counts.dedup();
        assert_eq!(counts, [0, 1, 2, 3]);
        let mut damaged = whole.clone();
        damaged[HEADER] ^= 1;
        assert_eq!(records(&damaged), (Vec::new(), false));
        assert!(records(&whole).1);
    }
}
