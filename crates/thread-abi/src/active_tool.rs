//! The detector, which is chosen when the library is compiled.

use std::sync::Arc;

use crate::storage::PageStorage;

#[cfg(feature = "empty")]
pub(crate) type ActiveTool = warpsan_thread_detect::EmptyTool;
#[cfg(all(feature = "fasttrack", not(feature = "empty")))]
pub(crate) type ActiveTool = warpsan_thread_detect::FastTrack;
#[cfg(not(any(feature = "fasttrack", feature = "empty")))]
pub(crate) type ActiveTool = warpsan_thread_detect::SlimFast;

#[cfg(feature = "empty")]
pub(crate) fn tool(_storage: &Arc<PageStorage>) -> ActiveTool {
    ActiveTool::default()
}
#[cfg(all(feature = "fasttrack", not(feature = "empty")))]
pub(crate) fn tool(storage: &Arc<PageStorage>) -> ActiveTool {
    ActiveTool::new(Arc::clone(storage) as Arc<dyn warpsan_thread_detect::Storage>)
}
#[cfg(not(any(feature = "fasttrack", feature = "empty")))]
pub(crate) fn tool(storage: &Arc<PageStorage>) -> ActiveTool {
    let settings = warpsan_thread_detect::SlimFastSettings::default();
    ActiveTool::new(Arc::clone(storage) as Arc<dyn warpsan_thread_detect::Storage>, settings)
}
