//! The file with what a GPU printed: comments, then a section for each program.

use std::collections::BTreeMap;

/// The standard output of each program by its name. A line `== NAME` begins a section; lines before
/// the first one are comments, which begin with `#`.
pub fn sections(text: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let mut sections: BTreeMap<String, String> = BTreeMap::new();
    let mut current: Option<&mut String> = None;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if let Some(name) = line.strip_prefix("== ") {
            if sections.contains_key(name) {
                anyhow::bail!("line {line_number}: `{name}` has a second section");
            }
            current = Some(sections.entry(name.to_owned()).or_default());
        } else if let Some(section) = &mut current {
            section.push_str(line);
            section.push('\n');
        } else if !line.is_empty() && !line.starts_with('#') {
            anyhow::bail!("line {line_number}: it belongs to no program");
        }
    }
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::sections;

    #[test]
    fn each_section_keeps_its_lines() {
        let read = sections("# what\n== a\none\n# two\n== b\n").unwrap();
        assert_eq!(read["a"], "one\n# two\n");
        assert_eq!(read["b"], "");
        assert!(sections("one\n").unwrap_err().to_string().contains("line 1"));
        assert!(sections("== a\n== a\n").unwrap_err().to_string().contains("second"));
    }
}
