use crate::Report;

/// The report as JSON, with a final line end.
pub fn render_json(report: &Report) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}
