//! Calls of functions.

use crate::support::{Machine, Setup, everywhere, kernel, module};

const FIB: &str = ".func (.param .b32 result) fib(.param .b32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    ld.param.u32 %r1, [n];
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra $small;
    sub.s32 %r2, %r1, 1;
    {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r2;
    call.uni (b), fib, (a);
    ld.param.b32 %r3, [b];
    }
    sub.s32 %r4, %r1, 2;
    {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r4;
    call.uni (b), fib, (a);
    ld.param.b32 %r5, [b];
    }
    add.s32 %r6, %r3, %r5;
    st.param.b32 [result], %r6;
    ret;
    $small:
    st.param.b32 [result], %r1;
    ret;
}\n";

/// Calls what `callee` says with the word in `%r2` and puts its answer into `%r3`.
fn call(callee: &str, rest: &str) -> String {
    format!(
        "{{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\ncall (b), {callee}, (a){rest};\n\
         ld.param.b32 %r3, [b];\n}}\n"
    )
}

fn fib(n: u32) -> u32 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[test]
fn recursion_goes_as_deep_as_each_lane_needs() {
    let body = format!(
        "rem.u32 %r2, %r7, 10;\n{}activemask.b32 %r4;\npopc.b32 %r4, %r4;\n\
         mad.lo.s32 %r3, %r4, 10000, %r3;\nst.global.u32 [%rd2], %r3;\nret;",
        call("fib", "")
    );
    let machine = Machine::new(&module(FIB, &body), 64);
    for seed in 0..5 {
        let memory = machine.launch(&Setup::new(1, 64).seed(seed)).well();
        for (thread, value) in memory.iter().enumerate() {
            assert_eq!(value % 10000, fib(thread as u32 % 10), "thread {thread}");
        }
    }
}

/// Three functions of one signature.
const FUNCTIONS: &str = ".func (.param .b32 result) twice(.param .b32 n)
{
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [n];
    shl.b32 %r2, %r1, 1;
    st.param.b32 [result], %r2;
    ret;
}
.func (.param .b32 result) square(.param .b32 n)
{
    .reg .b64 %rd<9>;
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [n];
    mul.wide.u32 %rd5, %r1, %r1;
    cvt.u32.u64 %r3, %rd5;
    st.param.b32 [result], %r3;
    ret;
}
.func (.param .b32 result) ninth(.param .b32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<30>;
    ld.param.u32 %r20, [n];
    mov.u32 %r21, 0;
    $loop:
    setp.lt.u32 %p1, %r20, 9;
    @%p1 bra $done;
    sub.s32 %r20, %r20, 9;
    add.s32 %r21, %r21, 1;
    bra $loop;
    $done:
    st.param.b32 [result], %r21;
    ret;
}\n";
const PROTOTYPE: &str = "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n";

fn of_functions(thread: u32) -> u32 {
    match thread % 3 {
        0 => thread * 2,
        1 => thread * thread,
        _ => thread / 9,
    }
}

#[test]
fn every_lane_calls_the_function_that_it_points_to() {
    let body = format!(
        "mov.u64 %rd5, twice;\nmov.u64 %rd6, square;\nmov.u64 %rd7, ninth;\nrem.u32 %r5, %r7, 3;\n\
         setp.eq.u32 %p1, %r5, 0;\nsetp.eq.u32 %p2, %r5, 1;\nselp.b64 %rd8, %rd6, %rd7, %p2;\n\
         selp.b64 %rd8, %rd5, %rd8, %p1;\nmov.u32 %r2, %r7;\n{PROTOTYPE}{}\
         st.global.u32 [%rd2], %r3;\nret;",
        call("%rd8", ", prototype")
    );
    everywhere(&module(FUNCTIONS, &body), (1, 64), 64, |memory| {
        assert!((0..64).all(|thread| memory[thread] == of_functions(thread as u32)), "{memory:?}");
    });
}

#[test]
fn a_table_of_functions_in_global_memory_is_followed() {
    // Thread 0 makes the table, as a constructor makes that of a class.
    let body = format!(
        "setp.ne.u32 %p1, %r7, 0;\n@%p1 bra $made;\nmov.u64 %rd5, twice;\nmov.u64 %rd6, square;\n\
         mov.u64 %rd7, ninth;\nst.global.u64 [%rd1], %rd5;\nst.global.u64 [%rd1+8], %rd6;\n\
         st.global.u64 [%rd1+16], %rd7;\n$made:\nbar.sync 0;\nrem.u32 %r5, %r7, 3;\n\
         mul.wide.u32 %rd9, %r5, 8;\nadd.s64 %rd9, %rd9, %rd1;\nld.global.u64 %rd8, [%rd9];\n\
         mov.u32 %r2, %r7;\n{PROTOTYPE}{}st.global.u32 [%rd2+24], %r3;\nret;",
        call("%rd8", ", prototype")
    );
    everywhere(&module(FUNCTIONS, &body), (1, 64), 70, |memory| {
        assert!((0..64).all(|thread| memory[6 + thread] == of_functions(thread as u32)));
    });
}

#[test]
fn large_values_come_back_whole() {
    let function = ".func (.param .align 16 .b8 result[16]) four(.param .align 16 .b8 from[16])
{
    .reg .b32 %r<9>;
    ld.param.v4.u32 {%r1, %r2, %r3, %r4}, [from];
    add.s32 %r1, %r1, 1;
    add.s32 %r2, %r2, 2;
    add.s32 %r3, %r3, 3;
    add.s32 %r4, %r4, 4;
    st.param.v4.b32 [result], {%r4, %r3, %r2, %r1};
    ret;
}\n";
    let body = "add.s32 %r2, %r7, 100;\nadd.s32 %r3, %r7, 200;\nadd.s32 %r4, %r7, 300;\n{\n\
        .param .align 16 .b8 a[16];\n.param .align 16 .b8 b[16];\n\
        st.param.v4.b32 [a], {%r7, %r2, %r3, %r4};\ncall.uni (b), four, (a);\n\
        ld.param.v4.b32 {%r10, %r11, %r12, %r13}, [b];\n}\n\
        mul.wide.u32 %rd5, %r7, 16;\nadd.s64 %rd5, %rd5, %rd1;\n\
        st.global.v4.u32 [%rd5], {%r10, %r11, %r12, %r13};\nret;";
    everywhere(&module(function, body), (1, 32), 128, |memory| {
        for (lane, found) in memory.chunks(4).enumerate() {
            let lane = lane as u32;
            assert_eq!(found, [lane + 304, lane + 203, lane + 102, lane + 1]);
        }
    });
}

#[test]
fn lanes_return_and_exit_from_calls_at_different_times() {
    let function = ".func (.param .b32 result) part(.param .b32 n)
{
    .reg .pred %p<4>;
    .reg .b32 %r<9>;
    ld.param.u32 %r1, [n];
    setp.eq.u32 %p1, %r1, 5;
    @%p1 exit;
    setp.lt.u32 %p2, %r1, 8;
    st.param.b32 [result], 1;
    @%p2 ret;
    mov.u32 %r2, 0;
    $loop:
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p3, %r2, %r1;
    @%p3 bra $loop;
    st.param.b32 [result], %r2;
    ret;
}\n";
    let function = function
        .replace("st.param.b32 [result], 1;", "mov.u32 %r3, 1;\nst.param.b32 [result], %r3;");
    let body = format!(
        "mov.u32 %r2, %r7;\n{}bar.warp.sync -1;\nvote.sync.ballot.b32 %r4, %p1, -1;\n\
         st.global.u32 [%rd2], %r3;\nret;",
        call("part", "")
    );
    everywhere(&module(&function, &body), (1, 32), 32, |memory| {
        for (lane, value) in memory.iter().enumerate() {
            let expected = match lane {
                5 => 0,
                ..8 => 1,
                lane => lane as u32,
            };
            assert_eq!(*value, expected, "lane {lane}");
        }
    });
}

#[test]
fn lanes_in_different_functions_meet_in_one_operation() {
    // Each function has its own shuffle with the full mask.
    let function = |name: &str, add: u32| {
        format!(
            ".func (.param .b32 result) {name}(.param .b32 n)\n{{\n.reg .b32 %r<9>;\n\
             ld.param.u32 %r1, [n];\nadd.s32 %r2, %r1, {add};\nshfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\n\
             st.param.b32 [result], %r3;\nret;\n}}\n"
        )
    };
    let body = format!(
        "and.b32 %r5, %r7, 1;\nsetp.eq.u32 %p1, %r5, 0;\nmov.u32 %r2, %r7;\n@%p1 bra $even;\n{}\
         bra $end;\n$even:\n{}$end:\nst.global.u32 [%rd2], %r3;\nret;",
        call("odd", ""),
        call("even", "")
    );
    let text = module(&format!("{}{}", function("odd", 100), function("even", 200)), &body);
    everywhere(&text, (1, 32), 32, |memory| {
        for (lane, value) in memory.iter().enumerate() {
            let other = lane as u32 ^ 1;
            assert_eq!(*value, other + if other.is_multiple_of(2) { 200 } else { 100 });
        }
    });
}

#[test]
fn recursion_without_end_is_a_stack_overflow() {
    let with_argument = FIB.replace("setp.lt.u32 %p1, %r1, 2;", "setp.lt.u32 %p1, %r1, 0;");
    let body = format!("mov.u32 %r2, %r7;\n{}ret;", call("fib", ""));
    let plain = ".func down()\n{\ncall.uni down;\nret;\n}\n";
    for text in [module(&with_argument, &body), module(plain, "call.uni down;\nret;")] {
        let machine = Machine::new(&text, 1);
        let fault = machine.launch(&Setup::new(1, 32)).fault();
        assert!(fault.what.starts_with("a stack overflow: calls need more than"), "{}", fault.what);
        let other = crate::support::prepare(&kernel("st.global.u32 [%rd1], 6;\nret;"));
        assert_eq!(machine.launch_kernel(&other, &Setup::new(1, 32)).well(), [6]);
    }
}
