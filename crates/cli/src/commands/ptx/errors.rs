//! PTX that cannot be read, shown with the line and a caret.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::io::{self, IsTerminal, Write};
use std::ops::Range;
use warpsan_ptx::{Document, LineIndex, SyntaxError};

/// More errors than this are only counted: most of them follow from the first.
const MOST_SHOWN: usize = 20;

/// Writes the errors of a text to standard error, and how many they are.
pub(crate) fn show(origin: &str, document: &Document) -> io::Result<()> {
    let mut errors = io::stderr();
    let color = errors.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    errors.write_all(render(origin, document, color).as_bytes())
}

/// The errors of a text, with their lines.
pub(crate) fn render(origin: &str, document: &Document, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let text = document.text();
    let lines = LineIndex::new(text);
    let mut rendered = String::new();
    for error in document.errors().iter().take(MOST_SHOWN) {
        rendered.push_str(&render_one(&renderer, origin, text, &lines, error));
        rendered.push('\n');
    }
    rendered.push_str(&format!("warpsan: error: {origin}: {}\n", summary(document, &lines)));
    rendered
}

/// How many errors there are, and where they start.
fn summary(document: &Document, lines: &LineIndex) -> String {
    let errors = document.errors();
    let first = errors.first().map_or(1, |error| lines.line(error.span.start));
    match errors.len() {
        1 => format!("1 error in the PTX, in line {first}"),
        count @ 0..=MOST_SHOWN => format!("{count} errors in the PTX, the first in line {first}"),
        count => format!(
            "{count} errors in the PTX, the first in line {first}; {MOST_SHOWN} of them are shown"
        ),
    }
}

fn render_one(
    renderer: &Renderer,
    origin: &str,
    text: &str,
    lines: &LineIndex,
    error: &SyntaxError,
) -> String {
    let message = error.message(text);
    let (shown, span) = surroundings(text, error.span.range());
    let snippet = Snippet::source(&text[shown.clone()])
        .path(origin)
        .line_start(lines.line(error.span.start.min(text.len() as u32)) as usize)
        .annotation(AnnotationKind::Primary.span(span.start - shown.start..span.end - shown.start));
    renderer.render(&[Level::ERROR.primary_title(message).element(snippet)])
}

/// The line that a span starts in, and the part of the span in that line. Text is often long, and
/// only this line of it is shown.
fn surroundings(text: &str, span: Range<usize>) -> (Range<usize>, Range<usize>) {
    let start = floor(text, span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let end = floor(text, span.end).clamp(start, line_end.max(start));
    (line_start..line_end, start..end)
}

/// The next place at or before this one where a character starts.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_shown_with_its_line_and_a_caret() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\
                    \tmov.u32 \t%r1 %tid.x;\n\tret;\n}\n";
        let document = Document::parse(text.to_string());
        let shown = render("broken.ptx", &document, false);
        assert!(shown.contains("broken.ptx:6:"), "{shown}");
        assert!(shown.contains("%r1 %tid.x;"), "{shown}");
        assert!(shown.contains('^'), "{shown}");
        assert!(shown.contains("error: expected"), "{shown}");
        assert!(shown.ends_with("broken.ptx: 1 error in the PTX, in line 6\n"), "{shown}");
    }

    #[test]
    fn many_errors_are_counted() {
        let text =
            format!(".version 9.0\n.target sm_90\n.func f()\n{{\n{}}}\n", "add )(;\n".repeat(50));
        let document = Document::parse(text);
        let count = document.errors().len();
        assert!(count >= 50, "{count}");
        let shown = render("broken.ptx", &document, false);
        assert_eq!(shown.matches("error: expected").count(), MOST_SHOWN, "{shown}");
        assert!(
            shown.contains(&format!("{count} errors in the PTX, the first in line 5; 20 of")),
            "{shown}"
        );
    }

    #[test]
    fn spans_at_the_edges_stay_inside() {
        for (text, span) in
            [("", 0..0), ("ab", 2..2), ("a\n", 2..2), ("a\nb\nc", 2..5), ("ü\nx", 1..9)]
        {
            let (line, span) = surroundings(text, span);
            assert!(line.start <= span.start && span.end <= line.end, "{text:?} {line:?} {span:?}");
            assert!(text.get(line).is_some() && text.get(span).is_some(), "{text:?}");
        }
        assert_eq!(surroundings("a\nbcd\ne", 3..6), (2..5, 3..5));
    }
}
