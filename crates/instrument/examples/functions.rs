//! Temporary.
fn main() {
    print!("{}", warpsan_instrument::linked_functions(warpsan_instrument::DevicePlan::HappensBefore, "sm_90").unwrap());
}
