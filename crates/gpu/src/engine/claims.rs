//! Who assembles a module: one process of all that want it, while the others wait for its file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A claim that is older says nothing any more.
const OLDEST: Duration = Duration::from_secs(120);
/// A claim that is younger may not have its process's number yet.
const YOUNGEST: Duration = Duration::from_secs(1);

/// The right to make a file of the cache. It ends with this, or with the process.
#[derive(Debug)]
pub(super) struct Claim {
    path: PathBuf,
}

impl Claim {
    /// Claims a file that is not there. None while somebody else makes it. Where nothing can be written there is nobody to wait for.
    pub(super) fn of(file: &Path) -> Option<Claim> {
        let path = file.with_extension("claim");
        if let Some(folder) = file.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let created = std::fs::File::options().write(true).create_new(true).open(&path);
        match created {
            Ok(mut claim) => {
                let _ = write!(claim, "{}", std::process::id());
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                if is_held(&path) {
                    return None;
                }
                let _ = std::fs::remove_file(&path);
                return None;
            }
            Err(_) => {}
        }
        Some(Claim { path })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether the process that made a claim may still be at it.
fn is_held(claim: &Path) -> bool {
    let Ok(made) = claim.metadata().and_then(|data| data.modified()) else { return true };
    let age = SystemTime::now().duration_since(made).unwrap_or_default();
    if age > OLDEST {
        return false;
    }
    let text = std::fs::read_to_string(claim).unwrap_or_default();
    match text.parse::<u32>() {
        Ok(process) => Path::new(&format!("/proc/{process}")).exists(),
        Err(_) => age < YOUNGEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_made_by_one_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cubins").join("one.cubin");
        let claim = Claim::of(&file).expect("nobody makes it");
        assert!(Claim::of(&file).is_none(), "somebody does");
        drop(claim);
        assert!(Claim::of(&file).is_some());
    }

    #[test]
    fn the_claim_of_a_process_that_has_ended_is_void() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("one.cubin");
        std::fs::write(file.with_extension("claim"), u32::MAX.to_string()).expect("a claim");
        assert!(Claim::of(&file).is_none(), "who finds that out takes it away");
        assert!(Claim::of(&file).is_some());
    }

    #[test]
    fn where_nothing_can_be_written_everybody_makes_it() {
        let file = Path::new("/proc/self/no-folder/one.cubin");
        let claims = [Claim::of(file), Claim::of(file)];
        assert!(claims.iter().all(Option::is_some));
    }
}
