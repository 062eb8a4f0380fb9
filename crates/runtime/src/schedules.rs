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
            if !line.trim().is_empty() {
                let schedule = line.parse::<Schedule>();
                each.push(schedule.map_err(|error| wrong(format!("line {number}: {error}")))?);
            }
        }
        match each.is_empty() {
            true => Err(wrong("there is no schedule in it".to_string())),
            false => Ok(Schedules { each, serves_all: false }),
        }
    }

    /// The schedule of the launch with this number, or why there is none.
    pub(crate) fn of_launch(&self, number: u32) -> Result<&Schedule, String> {
        let index = if self.serves_all { 0 } else { number as usize };
        self.each.get(index).ok_or_else(|| {
            let count = self.each.len();
            format!("launch {number}, counted from 0, has no schedule: {count} in all are stored")
        })
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
        assert!(read.of_launch(2).unwrap_err().contains("launch 2"));
        assert_eq!(Schedules::same(one.clone()).of_launch(5), Ok(&one));
    }

    #[test]
    fn a_file_that_has_no_schedules_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("schedules");
        let told = || Schedules::read(&file).unwrap_err().to_string();
        assert!(told().contains("schedules"), "{}", told());
        std::fs::write(&file, "\n").unwrap();
        assert!(told().contains("no schedule"), "{}", told());
        std::fs::write(&file, "random:1\nnonsense\n").unwrap();
        assert!(told().contains("line 2") && told().contains("nonsense"), "{}", told());
    }

    #[test]
    fn a_file_that_never_ends_is_refused() {
        let error = Schedules::read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(error.contains("more than 256 MiB"), "{error}");
    }
}
