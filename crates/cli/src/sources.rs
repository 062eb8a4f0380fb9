//! The source lines of a report.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use warpsan_model::SourcePosition;
use warpsan_report::{AccessReport, Report};

/// Puts the text of the source lines into a report, where the files can be read.
pub(crate) fn add_lines(report: &mut Report) {
    let mut files: HashMap<Arc<str>, Option<Vec<String>>> = HashMap::new();
    for race in &mut report.races {
        for access in [&mut race.first, &mut race.second] {
            let Some(position) = &access.position else { continue };
            let lines = files.entry(Arc::clone(&position.file)).or_insert_with(|| {
                // Sources need not be UTF-8; a report shows what it can.
                let text = std::fs::read(&*position.file).ok()?;
                let text = String::from_utf8_lossy(&text).replace('\t', "    ");
                Some(text.lines().map(str::to_string).collect())
            });
            let index = (position.line as usize).checked_sub(1);
            access.source_line =
                lines.as_ref().zip(index).and_then(|(lines, index)| lines.get(index).cloned());
        }
    }
}

/// Paths below the current folder, as a reader would type them.
pub(crate) fn shorten_paths(report: &mut Report) {
    let Ok(folder) = std::env::current_dir() else { return };
    for race in &mut report.races {
        for access in [&mut race.first, &mut race.second] {
            shorten(access, &folder);
        }
    }
}

fn shorten(access: &mut AccessReport, folder: &Path) {
    if let Some(SourcePosition { file, .. }) = &mut access.position
        && let Ok(below) = Path::new(&**file).strip_prefix(folder)
    {
        *file = Arc::from(below.to_string_lossy());
    }
}
