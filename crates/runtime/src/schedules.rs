//! The schedules of a session's launches: one for all of them, or a stored one for each.

use crate::SessionError;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use warpsan_simt::Schedule;

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
        let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
        let mut each = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if !line.trim().is_empty() {
                let schedule = line.parse::<Schedule>();
                each.push(schedule.map_err(|error| wrong(format!("line {}: {error}", index + 1)))?);
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
}
