//! The source lines of a report.

use crate::formats::Format;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpsan_model::SourcePosition;
use warpsan_report::{Race, Report, UnreadableSource};

/// The lines of a file, or why there are none.
type Lines = Result<Vec<String>, String>;

/// Puts the text of the source lines into a report, where the files can be read; the others are named
/// in its summary, once each.
pub(crate) fn add_lines(report: &mut Report) {
    let mut files: HashMap<Arc<str>, Lines> = HashMap::new();
    let mut unreadable = Vec::new();
    for race in report.all_races_mut() {
        for (position, source_line) in places(race) {
            let Some(position) = position else { continue };
            let file = &position.file;
            let lines = files.entry(Arc::clone(file)).or_insert_with(|| read(file));
            match line(lines, position.line) {
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

fn read(file: &str) -> Lines {
    let path = Path::new(file);
    // Line information may name anything, and reading a device need not end.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err("it is no file".to_string());
    }
    // Sources need not be UTF-8; a report shows what it can.
    let text = std::fs::read(path).map_err(|error| format!("the file cannot be read: {error}"))?;
    let text = String::from_utf8_lossy(&text).replace('\t', "    ");
    Ok(text.lines().map(str::to_string).collect())
}

fn line(lines: &Lines, number: u32) -> Result<String, String> {
    let lines = lines.as_ref().map_err(String::clone)?;
    let index = (number as usize).checked_sub(1);
    index.and_then(|index| lines.get(index).cloned()).ok_or_else(|| {
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
        for access in [&mut race.first, &mut race.second] {
            access.frames.iter_mut().for_each(|frame| shorten(&mut frame.position, &folder));
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
