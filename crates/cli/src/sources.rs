//! The source lines of a report.

use crate::formats::Format;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpsan_model::SourcePosition;
use warpsan_report::{Race, Report, UnreadableSource};

/// Lines that are longer are cut off: a report shows code, not generated tables.
const MOST_LINE_BYTES: usize = 4096;
/// What is behind so much of a file is not looked for.
const MOST_FILE_BYTES: u64 = 1 << 30;

/// The lines of a file that somebody asked for, or why there are none.
type Lines = Result<HashMap<u32, String>, String>;

/// Puts the text of the source lines into a report, where the files can be read; the others are named
/// in its summary, once each.
pub(crate) fn add_lines(report: &mut Report) {
    let mut wanted: HashMap<Arc<str>, BTreeSet<u32>> = HashMap::new();
    for race in report.all_races_mut() {
        for (position, _) in places(race) {
            if let Some(SourcePosition { file, line, .. }) = position {
                wanted.entry(Arc::clone(file)).or_default().insert(*line);
            }
        }
    }
    let files: HashMap<Arc<str>, Lines> = wanted
        .into_iter()
        .map(|(file, lines)| {
            let found = read(&file, &lines);
            (file, found)
        })
        .collect();
    let mut unreadable = Vec::new();
    for race in report.all_races_mut() {
        for (position, source_line) in places(race) {
            let Some(position) = position else { continue };
            let file = &position.file;
            match line(&files[file], position.line) {
                Ok(line) => *source_line = Some(line),
                Err(reason) => {
                    unreadable.push(UnreadableSource { file: file.to_string(), reason });
                }
            }
        }
    }
    unreadable.sort();
    unreadable.dedup();
    report.summary.unreadable_sources = unreadable;
}

/// The places of a race that have a line of their own.
fn places(race: &mut Race) -> Vec<(&mut Option<SourcePosition>, &mut Option<String>)> {
    let sides = [&mut race.first, &mut race.second].into_iter();
    sides
        .map(|access| (&mut access.position, &mut access.source_line))
        .chain(race.related.iter_mut().map(|site| (&mut site.position, &mut site.source_line)))
        .collect()
}

fn read(file: &str, wanted: &BTreeSet<u32>) -> Lines {
    let path = Path::new(file);
    // Line information may name anything, and reading a device need not end.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err("it is no file".to_string());
    }
    let lines = File::open(path).and_then(|file| {
        lines_of(BufReader::with_capacity(1 << 16, file.take(MOST_FILE_BYTES)), wanted)
    });
    lines.map_err(|error| format!("the file cannot be read: {error}"))
}

/// The wanted lines, counted from 1, as far as they are there. Nothing is kept of the others, and nothing is read behind
/// the last.
fn lines_of(mut input: impl BufRead, wanted: &BTreeSet<u32>) -> io::Result<HashMap<u32, String>> {
    let mut found = HashMap::new();
    let mut line = Vec::new();
    let mut number = 1;
    for next in wanted.iter().copied().filter(|line| *line > 0) {
        while number < next && input.skip_until(b'\n')? > 0 {
            number += 1;
        }
        line.clear();
        let part = input.by_ref().take(MOST_LINE_BYTES as u64).read_until(b'\n', &mut line)?;
        if number < next || part == 0 {
            break;
        }
        number += 1;
        let is_cut_off = part == MOST_LINE_BYTES && line.last() != Some(&b'\n');
        if is_cut_off {
            input.skip_until(b'\n')?;
        }
        if line.last() == Some(&b'\n') {
            line.pop();
            line.pop_if(|byte| *byte == b'\r');
        }
        // Sources need not be UTF-8; a report shows what it can.
        let mut text = String::from_utf8_lossy(&line).replace('\t', "    ");
        if is_cut_off {
            text.push('…');
        }
        found.insert(next, text);
    }
    Ok(found)
}

fn line(lines: &Lines, number: u32) -> Result<String, String> {
    let lines = lines.as_ref().map_err(String::clone)?;
    lines.get(&number).cloned().ok_or_else(|| {
        "it has fewer lines than the line information says, and must have changed since".to_string()
    })
}

/// Paths below the current folder, as a reader would type them.
pub(crate) fn shorten_paths(report: &mut Report, format: Format) {
    let Some(folder) = root(format) else { return };
    for race in report.all_races_mut() {
        for (position, _) in places(race) {
            shorten(position, &folder);
        }
        let sides = [&mut race.first, &mut race.second].map(|access| &mut access.frames);
        let others = race.threads.iter_mut().flat_map(|threads| threads.stacks_mut());
        for frame in sides.into_iter().chain(others).flatten() {
            shorten(&mut frame.position, &folder);
        }
    }
    for source in &mut report.summary.unreadable_sources {
        if let Some(below) = below(&source.file, &folder) {
            source.file = below;
        }
    }
}

/// The folder that paths are shown relative to. GitHub counts from that of the repository, whichever
/// one a step runs in.
fn root(format: Format) -> Option<PathBuf> {
    let workspace = std::env::var_os("GITHUB_WORKSPACE").filter(|_| format == Format::Github);
    workspace.map(PathBuf::from).or_else(|| std::env::current_dir().ok())
}

fn shorten(position: &mut Option<SourcePosition>, folder: &Path) {
    if let Some(SourcePosition { file, .. }) = position
        && let Some(below) = below(file, folder)
    {
        *file = Arc::from(below);
    }
}

fn below(file: &str, folder: &Path) -> Option<String> {
    let below = Path::new(file).strip_prefix(folder).ok()?;
    Some(below.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &Path, wanted: &[u32]) -> HashMap<u32, String> {
        read(file.to_str().unwrap(), &wanted.iter().copied().collect()).unwrap()
    }

    #[test]
    fn lines_are_found_by_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.cu");
        std::fs::write(&file, b"one\r\n\ttwo\n\nfo\xffur\nlast").unwrap();
        let all = found(&file, &[0, 1, 2, 3, 4, 5, 6, 900]);
        let expected = ["one", "    two", "", "fo\u{fffd}ur", "last"];
        assert_eq!(all.len(), expected.len());
        for (number, text) in (1..).zip(expected) {
            assert_eq!(all[&number], text);
            assert_eq!(found(&file, &[number]), HashMap::from([(number, text.to_string())]));
        }
    }

    /// A file that is larger than all memory, of which the first lines are wanted and one that is not there.
    #[test]
    fn a_file_is_not_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.cu");
        std::fs::write(&file, b"one\ntwo\n").unwrap();
        File::options().write(true).open(&file).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(found(&file, &[2]), HashMap::from([(2, "two".to_string())]));
        let long = &found(&file, &[3, 4])[&3];
        assert_eq!(long.chars().count(), MOST_LINE_BYTES + 1);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn nothing_is_read_behind_the_last_line_that_is_wanted() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::Other.into())
            }
        }
        let input = BufReader::new(io::Cursor::new(b"one\ntwo\n").chain(Fails));
        let lines = lines_of(input, &BTreeSet::from([1, 2])).unwrap();
        assert_eq!(lines.len(), 2);
    }
}
