//! Every function that orders work is followed, and what worked is reported.

use super::reporting::{then, waited};
use super::wrapped;
use crate::calls::Call;
use crate::functions::always;
use std::collections::BTreeSet;
use std::sync::Mutex;
use warpsan_gpu::{CUresult, CUstream, Hooks, OrderStep};

/// Names of functions that put work into an order or wait for it, as far as names show.
fn may_order(name: &str) -> bool {
    let beginnings = [
        "cuMemcpy",
        "cuMemset",
        "cuLaunch",
        "cuGraphLaunch",
        "cuGraphUpload",
        "cuSignal",
        "cuWait",
        "cuStreamW",
        "cuStreamB",
        "cuStreamAdd",
        "cuEvent",
        "cuIpc",
        "cuMemFree",
    ];
    let parts = ["Async", "Synchronize", "Query", "RecordEvent", "WaitEvent", "Export"];
    beginnings.iter().any(|beginning| name.starts_with(beginning))
        || parts.iter().any(|part| name.contains(part))
}

/// Such names that order nothing by themselves: memory that is named to others or had from them, marks of threads, and
/// calls that only set something up.
const HARMLESS: [&str; 18] = [
    "cuEventCreate",
    "cuStreamBeginCapture",
    "cuStreamBeginCapture_ptsz",
    "cuStreamBeginCapture_v2",
    "cuStreamBeginCapture_v2_ptsz",
    "cuStreamBeginCaptureToGraph",
    "cuStreamBeginCaptureToGraph_ptsz",
    "cuDeviceRegisterAsyncNotification",
    "cuDeviceUnregisterAsyncNotification",
    "cuGetExportTable",
    // Who exports a pool exports pointers of it, too.
    "cuMemPoolExportToShareableHandle",
    // Its buffers are registered first.
    "cuGLMapBufferObjectAsync",
    "cuGLMapBufferObjectAsync_v2",
    "cuGLMapBufferObjectAsync_v2_ptsz",
    "cuGLUnmapBufferObjectAsync",
    "cuIpcOpenMemHandle",
    "cuIpcOpenMemHandle_v2",
    "cuIpcCloseMemHandle",
];

#[test]
fn every_function_that_orders_work_is_followed() {
    let followed: BTreeSet<&str> =
        always().chain(wrapped()).map(|wrapped| wrapped.name.to_str().expect("a name")).collect();
    let names = include_str!("../../symbols/libcuda-580.txt").lines();
    let missing: Vec<&str> = names
        .filter(|name| may_order(name) && !HARMLESS.contains(name) && !followed.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Remembers the steps that are reported.
#[derive(Default)]
struct Steps(Mutex<Vec<OrderStep>>);

impl Hooks for Steps {
    fn ordered(&self, step: OrderStep) {
        self.0.lock().expect("no panic").push(step);
    }
}

const STREAM: CUstream = CUstream(0x50);

then! { fn copy(to: usize, stream: CUstream) |call| waited(call, stream) }

unsafe extern "C" fn real_copy(to: usize, _stream: CUstream) -> CUresult {
    CUresult(to as i32)
}

/// What is reported of a call under a name, whose real function answers this.
fn reported(name: &'static str, stream: CUstream, answer: CUresult) -> Vec<OrderStep> {
    let steps: &'static Steps = Box::leak(Box::default());
    let real: unsafe extern "C" fn(usize, CUstream) -> CUresult = real_copy;
    // SAFETY: the function above takes anything.
    let given = unsafe { copy(Call { real, hooks: steps, name }, answer.0 as usize, stream) };
    assert_eq!(given, answer);
    steps.0.lock().expect("no panic").clone()
}

#[test]
fn what_worked_is_reported_and_what_did_not_is_not() {
    let both = |stream| vec![OrderStep::Work(stream), OrderStep::HostWaitedForStream(stream)];
    assert_eq!(reported("cuMemcpyAsync", STREAM, CUresult::SUCCESS), both(STREAM));
    assert_eq!(reported("cuMemcpyAsync", STREAM, CUresult::INVALID_VALUE), []);
    let legacy = reported("cuMemcpy", CUstream::NULL, CUresult::SUCCESS);
    assert_eq!(legacy, both(CUstream::NULL));
    let of_thread = reported("cuMemcpy_ptds", CUstream::NULL, CUresult::SUCCESS);
    assert_eq!(of_thread, both(CUstream::PER_THREAD));
}
