//! Files of the project name no path of the machine they were written on: such a path means nothing to
//! anybody else. Folders that documentation uses as examples, as `/usr/local/cuda`, are no such paths.

use std::path::Path;

use anyhow::Context;

/// The first folders of such paths, without their slashes, so that this file passes its own test.
const FORBIDDEN: &[&str] = &["work", "tmp", "home", "root", "Users"];

/// How documentation and tests call a folder that nobody has: `/home/user` and its like.
const PLACEHOLDERS: &[&str] = &["user", "you", "some user", "a:b", "$"];

/// Looks through all text files below a folder, except those that git ignores.
pub(super) fn check_folder(root: &Path) -> anyhow::Result<Vec<String>> {
    let ignored = std::fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
    let mut skipped: Vec<_> = ignored
        .lines()
        .filter_map(|line| line.trim().strip_prefix('/'))
        .map(|name| root.join(name.trim_end_matches('/')))
        .collect();
    skipped.push(root.join(".git"));

    let mut violations = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        let cannot_list = || format!("cannot list {}", folder.display());
        for entry in std::fs::read_dir(&folder).with_context(cannot_list)? {
            let path = entry.with_context(cannot_list)?.path();
            if skipped.contains(&path) || path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                violations.extend(
                    machine_paths(&text).into_iter().map(|(line, path)| {
                        format!("{shown}:{line}: a machine's own path: {path}")
                    }),
                );
            }
        }
    }
    violations.sort();
    Ok(violations)
}

/// Each such path with its line.
fn machine_paths(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for folder in FORBIDDEN {
            let start = format!("/{folder}/");
            for (at, _) in line.match_indices(&start) {
                let is_relative = line[..at].chars().next_back().is_some_and(continues_a_path);
                let rest = &line[at + start.len()..];
                if !is_relative && !PLACEHOLDERS.iter().any(|name| rest.starts_with(name)) {
                    let path: String = line[at..]
                        .chars()
                        .take_while(|&c| c == '/' || continues_a_path(c))
                        .collect();
                    found.push((index + 1, path));
                }
            }
        }
    }
    found
}

/// Whether a slash after this character is in the middle of a path, which is then a relative one.
fn continues_a_path(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(character, '_' | '-' | '.' | '~' | '}' | ')' | '*' | '>')
}

#[cfg(test)]
mod tests {
    use super::{check_folder, machine_paths};

    #[test]
    fn paths_of_a_machine_are_found() {
        for folder in super::FORBIDDEN {
            let text = format!("first\nsee \"/{folder}/someone/file.cu\" there\n");
            let found = machine_paths(&text);
            assert_eq!(found, [(2, format!("/{folder}/someone/file.cu"))]);
        }
    }

    #[test]
    fn other_paths_are_not() {
        for text in [
            "/usr/local/cuda/bin",
            "crates/work/src",
            "a/tmp/b",
            "${HOME}/work/x",
            "~/work/x",
            "/home/user/x",
        ] {
            assert!(machine_paths(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn files_are_read_and_ignored_ones_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        for folder in ["source", "build"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
            std::fs::write(root.join(folder).join("a.txt"), format!("/{}/me/a", "home")).unwrap();
        }
        std::fs::write(root.join(".gitignore"), "/build\n").unwrap();
        let violations = check_folder(root).unwrap();
        assert_eq!(violations.len(), 1, "{violations:?}");
        assert!(violations[0].starts_with("source/a.txt:1:"), "{violations:?}");
    }
}
