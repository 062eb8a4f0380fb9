//! Kernels that call themselves.

use super::*;

fn stack_limit() -> usize {
    fake(|fake| fake.stack_limit)
}

fn queried_limit(program: &Program) -> usize {
    let mut limit = stack_limit();
    program.engine.limit_queried(super::super::stack::STACK_SIZE, &mut limit);
    limit
}

#[test]
fn stacks_are_deeper_where_kernels_call_themselves() {
    let program = Program::new(64 * GIB, settings());
    program.launch(program.function("scale"), LaunchSource::Stream);
    assert_eq!(stack_limit(), 1 << 10, "nobody needs more");
    let recursive = program.function("calls_itself");
    let launched = program.launch(recursive, LaunchSource::Stream);
    assert_ne!(launched.function, recursive, "it is instrumented");
    assert_eq!(stack_limit(), 20 << 10);
    assert_eq!(queried_limit(&program), 1 << 10, "the program sees its own");
    program.launch(recursive, LaunchSource::Stream);
    assert_eq!(stack_limit(), 20 << 10, "once is enough");
    fake(|fake| fake.stack_limit = 2 << 10);
    program.launch(recursive, LaunchSource::Stream);
    assert_eq!((stack_limit(), queried_limit(&program)), (36 << 10, 2 << 10), "it set another one");
}

#[test]
fn a_kernel_without_room_for_its_stack_runs_as_it_is() {
    let program = Program::new(64 * GIB, settings());
    let recursive = program.function("calls_itself");
    fake(|fake| fake.largest_stack_limit = 12 << 10);
    assert_ne!(program.launch(recursive, LaunchSource::Stream).function, recursive);
    assert_eq!(stack_limit(), 12 << 10, "half of it may do");
    let program = Program::new(64 * GIB, settings());
    let recursive = program.function("calls_itself");
    fake(|fake| fake.largest_stack_limit = 8 << 10);
    assert_eq!(program.launch(recursive, LaunchSource::Stream).function, recursive);
    let reasons = of(&program.reported.not_covered);
    assert_eq!(
        reasons,
        ["it calls itself, and there is no memory for stacks that are deep enough"]
    );
}
