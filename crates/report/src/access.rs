//! One of the two sides of a race: what it does, who does it, and where.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use warpsan_model::{Dim3, SourceFrame, SourcePosition};

/// Who makes an access.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AccessOrigin {
    /// A thread of a kernel.
    #[default]
    Kernel,
    /// A call of the CUDA API, such as a copy or a fill.
    ApiCall,
    /// The host itself, in memory that it shares with the device.
    Host,
    /// A thread of a process, in a race among its threads.
    Thread,
}

impl AccessOrigin {
    /// The text that stands for an instruction of the host in report files.
    const HOST: &str = "host";
    /// The text that stands for an instruction of a thread of a process in report files.
    pub const THREAD: &str = "thread";

    /// The origin of an access as a report file has it.
    pub fn of_stored(instruction: &str, ptx_line: u32) -> AccessOrigin {
        match (ptx_line, instruction) {
            (0, Self::HOST) => AccessOrigin::Host,
            (0, Self::THREAD) => AccessOrigin::Thread,
            (0, _) => AccessOrigin::ApiCall,
            _ => AccessOrigin::Kernel,
        }
    }
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessType {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes in one step.
    Atomic,
    /// It waits at a barrier.
    Barrier,
    /// It gives memory back.
    Free,
}

/// One of the two sides of a race.
///
/// Invariant: the origin is that of the instruction and its line, which is all that a report file keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct AccessReport {
    /// What it does.
    pub access: AccessType,
    /// How strong it is, in words: `weak`, `volatile`, `relaxed, device scope`.
    pub strength: String,
    /// The line to look at.
    pub position: Option<SourcePosition>,
    /// The text of that line, where the file could be read.
    pub source_line: Option<String>,
    /// The whole chain of calls and inlining, innermost first.
    pub frames: Vec<SourceFrame>,
    /// Who makes the access.
    #[serde(skip)]
    pub origin: AccessOrigin,
    /// The PTX instruction, or the name of the call of the API.
    pub instruction: String,
    /// Its line in the PTX text; 0 if it is not of a kernel.
    pub ptx_line: u32,
    /// The thread in its block.
    pub thread: Dim3,
    /// The block in its grid.
    pub block: Dim3,
    /// The warp in its block.
    pub warp: u32,
    /// Bytes accessed.
    pub bytes: u32,
}

impl AccessReport {
    /// The frame whose line is shown, and those outside of it, up to the kernel. Empty where there
    /// is no chain that has that line.
    fn shown_frames(&self) -> &[SourceFrame] {
        let shown =
            |frame: &SourceFrame| frame.position.is_some() && frame.position == self.position;
        match self.frames.iter().position(shown) {
            Some(index) => &self.frames[index..],
            None => &[],
        }
    }

    /// The line of the source; that of the PTX text where there is no other.
    pub fn line(&self) -> u32 {
        self.position.as_ref().map_or(self.ptx_line, |position| position.line)
    }

    /// The function that the shown line lies in, where that is known.
    pub fn function(&self) -> Option<&str> {
        self.shown_frames().first().map(|frame| &*frame.function)
    }

    /// Where that function was inlined, from the inside out.
    pub fn inlined_at(&self) -> &[SourceFrame] {
        self.shown_frames().get(1..).unwrap_or_default()
    }
}

impl Serialize for AccessReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        AccessReport::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for AccessReport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AccessReport, D::Error> {
        let mut report = AccessReport::deserialize(deserializer)?;
        report.origin = AccessOrigin::of_stored(&report.instruction, report.ptx_line);
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::race;

    #[test]
    fn a_report_file_keeps_who_made_an_access() {
        let kernel = race().first;
        let call = AccessReport {
            origin: AccessOrigin::ApiCall,
            instruction: "cudaMemcpyAsync".to_string(),
            ptx_line: 0,
            ..kernel.clone()
        };
        let host = AccessReport {
            origin: AccessOrigin::Host,
            instruction: AccessOrigin::HOST.to_string(),
            ..call.clone()
        };
        let thread = AccessReport {
            origin: AccessOrigin::Thread,
            instruction: AccessOrigin::THREAD.to_string(),
            ..call.clone()
        };
        for access in [kernel, call, host, thread] {
            let text = serde_json::to_string(&access).unwrap();
            assert!(!text.contains("origin"), "{text}");
            assert_eq!(serde_json::from_str::<AccessReport>(&text).unwrap(), access);
        }
    }
}
