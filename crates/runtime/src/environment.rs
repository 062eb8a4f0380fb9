//! What `warpsan run` hands to the processes of a program, by their environment.

use crate::report_file::ReportFile;
use crate::{Options, SessionError};
use std::path::PathBuf;

/// What a process was started with.
pub(crate) struct ProcessEnvironment {
    /// How to check.
    pub(crate) options: Options,
    /// Where reports go.
    pub(crate) folder: PathBuf,
    /// The new report file of this process.
    pub(crate) file: ReportFile,
}

impl ProcessEnvironment {
    /// Reads how to check, and makes nothing.
    pub(crate) fn options() -> Result<Options, SessionError> {
        match std::env::var("WARPSAN_OPTIONS") {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| SessionError::Options(error.to_string())),
            Err(_) => Err(SessionError::NotUnderWarpsan("WARPSAN_OPTIONS")),
        }
    }

    /// Reads the environment and makes the report file.
    pub(crate) fn read() -> Result<ProcessEnvironment, SessionError> {
        let options = Self::options()?;
        let folder = std::env::var_os("WARPSAN_REPORT_DIR")
            .map(PathBuf::from)
            .ok_or(SessionError::NotUnderWarpsan("WARPSAN_REPORT_DIR"))?;
        let file = ReportFile::create(&folder).map_err(|error| SessionError::ReportFile {
            folder: folder.display().to_string(),
            error,
        })?;
        Ok(ProcessEnvironment { options, folder, file })
    }
}
