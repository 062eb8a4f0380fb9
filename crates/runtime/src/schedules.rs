//! The schedules of a session's launches: one for all of them, or a stored one for each.

use crate::SessionError;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use warpsan_simt::Schedule;

/// A file of schedules may have so many bytes. The name of one may be that of a device that never ends.
const MOST_BYTES: u64 = 256 << 20;

/// Who goes when, in every launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedules {
    each: Vec<Schedule>,
    /// Whether there is only one, which serves every launch.
    serves_all: bool,
}

/// There are more launches than stored schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("launch {launch}, counted from 0, has no schedule: {stored} in all are stored")]
pub(crate) struct MissingSchedule {
    launch: u32,
    stored: usize,
}

impl Schedules {
    /// One schedule for every launch.
    pub fn same(schedule: Schedule) -> Schedules {
        Schedules { each: vec![schedule], serves_all: true }
    }

    /// One schedule for each launch, in order, from a file with one in each line.
    pub fn read(file: &Path) -> Result<Schedules, SessionError> {
        let wrong =
            |what: String| SessionError::StoredSchedules { file: file.display().to_string(), what };
        let text = File::open(file).map_err(|error| wrong(error.to_string()))?;
        let mut input = BufReader::new(text.take(MOST_BYTES + 1));
        let (mut each, mut line, mut bytes) = (Vec::new(), String::new(), 0);
        for number in 1.. {
            line.clear();
            // One line is in memory at a time: turns take less memory than their text.
            let read = input.read_line(&mut line);
            let read = read.map_err(|error| wrong(format!("line {number}: {error}")))?;
            bytes += read as u64;
            if bytes > MOST_BYTES {
                return Err(wrong("it has more than 256 MiB, and no more is read".to_string()));
            }
            if read == 0 {
                break;
            }
            let text = line.trim();
            if !text.is_empty() {
                let schedule = text.parse::<Schedule>();
                each.push(schedule.map_err(|error| wrong(format!("line {number}: {error}")))?);
            }
        }
        match each.is_empty() {
            true => Err(wrong("there is no schedule in it".to_string())),
            false => Ok(Schedules { each, serves_all: false }),
        }
    }

    /// The schedule of the launch with this number.
    pub(crate) fn of_launch(&self, number: u32) -> Result<&Schedule, MissingSchedule> {
        let index = if self.serves_all { 0 } else { number as usize };
        let stored = self.each.len();
        self.each.get(index).ok_or(MissingSchedule { launch: number, stored })
    }

    /// The first one; there always is one.
    pub fn first(&self) -> Option<&Schedule> {
        self.each.first()
    }
}

/// Adds the schedule of a launch to a file.
pub(crate) fn store(file: &Path, schedule: &Schedule) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(file)?;
    // One write, so that the line stays whole whoever else adds lines.
    file.write_all(format!("{schedule}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_schedules_are_taken_launch_by_launch() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("schedules");
        let one: Schedule = "replay:3:0.1.0x4".parse().unwrap();
        let other: Schedule = "random:8".parse().unwrap();
        for schedule in [&one, &other] {
            store(&file, schedule).unwrap();
        }
        let read = Schedules::read(&file).unwrap();
        assert_eq!(read.of_launch(0), Ok(&one));
        assert_eq!(read.of_launch(1), Ok(&other));
        assert_eq!(read.of_launch(2), Err(MissingSchedule { launch: 2, stored: 2 }));
        assert_eq!(Schedules::same(one.clone()).of_launch(5), Ok(&one));
    }

    #[test]
    fn a_file_that_has_no_schedules_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("schedules");
        let error = || Schedules::read(&file).unwrap_err().to_string();
        assert!(error().contains("schedules"), "{}", error());
        std::fs::write(&file, "\n").unwrap();
        assert!(error().contains("no schedule"), "{}", error());
        std::fs::write(&file, "random:1\nnonsense\n").unwrap();
        assert!(error().contains("line 2") && error().contains("nonsense"), "{}", error());
    }

    #[test]
    fn a_file_that_never_ends_is_refused() {
        let error = Schedules::read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(error.contains("more than 256 MiB"), "{error}");
    }
}
