//! Kernels and the host hand over to each other through memory.

use super::*;
use warpsan_event::KernelFacts;

const RELEASE_SYS: Strength = strong(Order::Release, Scope::Sys);
const ACQUIRE_SYS: Strength = strong(Order::Acquire, Scope::Sys);
const RELAXED_SYS: Strength = strong(Order::Relaxed, Scope::Sys);
const THREAD: Who = (0, 0);

/// A kernel with operations that reach the host.
fn system_kernel() -> Kernel {
    let facts =
        KernelFacts { uses_strong_accesses: true, uses_fences: true, ..KernelFacts::default() };
    Kernel::new(&["fence.acq_rel.sys;"; 64]).facts(facts)
}

fn host() -> Kernel {
    let facts = KernelFacts { uses_strong_accesses: true, ..KernelFacts::default() };
    Kernel::default().of_host_itself().facts(facts)
}

/// After what the host did, a kernel that nothing orders behind it.
fn then_kernel(story: Story) -> Story {
    story.of_kernel(system_kernel()).begin_launch_after(1, &[], &[])
}

/// After what a kernel did, accesses of the host, which has not waited for it.
fn then_host(story: Story) -> Story {
    story.of_kernel(host()).begin_launch_after(1, &[], &[])
}

fn severities(story: Story) -> Vec<(RaceKind, Severity)> {
    let races = story.end_launch().reported().races;
    races.iter().map(|race| (race.kind, race.severity)).collect()
}

const ERROR: [(RaceKind, Severity); 1] = [(RaceKind::InterKernel, Severity::Error)];
const WARNING: [(RaceKind, Severity); 1] = [(RaceKind::InterKernel, Severity::Warning)];

#[test]
fn what_the_host_released_is_there_for_a_kernel_that_acquires_it_at_system_scope() {
    let handed = || {
        let host = Story::of(host()).strong_store(THREAD, DATA, RELEASE_SYS);
        then_kernel(host.strong_store(THREAD, FLAG, RELEASE_SYS))
    };
    assert!(
        handed().strong_load((1, 3), FLAG, ACQUIRE_SYS).load((1, 3), DATA).end_launch().clean()
    );
    let relaxed = || handed().strong_load((1, 3), FLAG, RELAXED_SYS);
    let fenced = relaxed().fence((1, 3), Order::AcqRel, Scope::Sys);
    assert!(fenced.load((1, 3), DATA).end_launch().clean());
    let of_device = relaxed().fence((1, 3), Order::AcqRel, Scope::Gpu).load((1, 3), DATA);
    assert_eq!(
        severities(of_device),
        WARNING,
        "it read the flag, but acquired nothing of the host"
    );
    assert_eq!(severities(handed().load((1, 3), DATA)), ERROR);
}

#[test]
fn what_the_host_does_behind_its_flag_is_not_handed_over() {
    let host = Story::of(host()).strong_store(THREAD, FLAG, RELEASE_SYS);
    let kernel = then_kernel(host.strong_store(THREAD, DATA, RELEASE_SYS));
    let before = kernel.load((2, 0), DATA).strong_load((2, 0), FLAG, ACQUIRE_SYS);
    assert_eq!(severities(before), ERROR);
}

#[test]
fn whether_the_host_saw_the_flag_of_a_kernel_is_not_known() {
    let kernel = || Story::of(system_kernel()).store((1, 0), DATA);
    let released = || then_host(kernel().strong_store((1, 0), FLAG, RELEASE_SYS));
    let read = |story: Story, address| story.strong_load(THREAD, address, RELAXED_SYS);
    assert_eq!(severities(read(read(released(), FLAG), DATA)), WARNING);
    assert_eq!(severities(read(read(released(), FLAG + 512), DATA)), WARNING, "the same page");
    assert_eq!(severities(read(released(), DATA)), ERROR, "the flag was not read before");
    let too_late = Story::of(system_kernel()).strong_store((1, 0), FLAG, RELEASE_SYS);
    let too_late = then_host(too_late.store((1, 0), DATA));
    assert_eq!(severities(read(read(too_late, FLAG), DATA)), ERROR, "it is behind the release");
    let relaxed = then_host(kernel().strong_store((1, 0), FLAG, RELAXED_SYS));
    assert_eq!(severities(read(read(relaxed, FLAG), DATA)), ERROR, "nothing was released");
    let of_device = then_host(kernel().strong_store((1, 0), FLAG, RELEASE));
    let races = severities(read(read(of_device, FLAG), DATA));
    assert_eq!(races, [ERROR, ERROR].concat(), "the flag itself, and what it does not hand over");
}

#[test]
fn whether_a_kernel_saw_a_flag_that_the_host_wrote_meanwhile_is_not_known() {
    let waited = || Story::of(system_kernel()).strong_load((1, 0), FLAG, ACQUIRE_SYS);
    let write = |story: Story, address| story.strong_store(THREAD, address, RELEASE_SYS);
    let host = then_host(waited().load((1, 0), DATA));
    assert_eq!(severities(write(write(host, DATA), FLAG)), WARNING);
    let no_flag = then_host(waited().load((1, 0), DATA));
    assert_eq!(severities(write(no_flag, DATA)), ERROR);
    let other_block = then_host(waited().load((2, 0), DATA));
    assert_eq!(severities(write(write(other_block, DATA), FLAG)), ERROR);
    let before = Story::of(system_kernel()).load((1, 0), DATA).strong_store((1, 0), FLAG, RELAXED);
    let before = then_host(before.strong_load((1, 0), FLAG + 8, ACQUIRE_SYS));
    let races = severities(write(write(before, DATA), FLAG + 8));
    assert_eq!(races, ERROR, "it read before it waited");
}

#[test]
fn who_observes_a_release_learns_what_its_launch_is_after() {
    let kernel = || Story::of(system_kernel()).store((0, 0), DATA);
    let second = |after: &[u32]| {
        let story = kernel().begin_launch_after(1, after, &[]);
        let story = story.strong_store((0, 0), FLAG, RELEASE).begin_launch_after(2, &[], &[]);
        story.strong_load((3, 0), FLAG, ACQUIRE).load((3, 0), DATA)
    };
    assert_eq!(severities(second(&[0])), []);
    assert_eq!(severities(second(&[])), ERROR);
}
