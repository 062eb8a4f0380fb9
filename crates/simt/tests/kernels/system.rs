//! What the system provides: printing, memory, clocks.

use crate::support::{Machine, Setup, kernel, module};

const VPRINTF: &str = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);";

/// Prints with a format that lies at the beginning of the memory. The arguments are put into `l` by
/// `fill`, and the number of them ends in word 60.
fn print(format: &str, fill: &str, threads: u32) -> (String, u32) {
    let body = format!(
        ".local .align 8 .b8 l[64];\n{fill}\nmov.u64 %rd5, l;\ncvta.local.u64 %rd5, %rd5;\n{{\n\
         .param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %rd1;\n\
         st.param.b64 [a], %rd5;\ncall.uni (r), vprintf, (f, a);\nld.param.b32 %r2, [r];\n}}\n\
         st.global.u32 [%rd1+240], %r2;\nret;"
    );
    let machine = Machine::new(&module(VPRINTF, &body), 64);
    let mut text = format.as_bytes().to_vec();
    text.push(0);
    machine.memory.write(machine.data, &text).unwrap();
    let words = warpsan_model::DeviceAddress(machine.data.0 + 200);
    machine.memory.write(words, b"words\0").unwrap();
    let done = machine.launch(&Setup::new(1, threads));
    done.result.unwrap();
    (done.printed, done.memory[60])
}

/// Stores of these values at these places of the arguments.
fn put(values: &[(u32, &str, &str)]) -> String {
    let mut all = String::new();
    for (at, bits, value) in values {
        let register = if *bits == "64" { "%rd10" } else { "%r10" };
        all.push_str(&format!(
            "mov.b{bits} {register}, {value};\nst.local.b{bits} [l+{at}], {register};\n"
        ));
    }
    all
}

#[test]
fn integers_are_printed_as_c_does() {
    let fill = put(&[
        (0, "32", "-5"),
        (4, "32", "-5"),
        (8, "32", "255"),
        (16, "64", "-7000000000"),
        (24, "64", "0xABCDEF0123"),
    ]);
    let (text, count) = print("%d %u %#x %lld|%llx\n", &fill, 1);
    assert_eq!((text.as_str(), count), ("-5 4294967291 0xff -7000000000|abcdef0123\n", 5));
    let fill = put(&[
        (0, "32", "7"),
        (4, "32", "7"),
        (8, "32", "-7"),
        (12, "32", "70000"),
        (16, "32", "300"),
        (20, "32", "8"),
    ]);
    let (text, _) = print("[%5d][%-5d][%05d][%hd][%hhu][%o]", &fill, 1);
    assert_eq!(text, "[    7][7    ][-0007][4464][44][10]");
}

#[test]
fn floats_are_printed_as_c_does() {
    let fill = put(&[
        (0, "64", "0d400921FB54442D18"),
        (8, "64", "0d400921FB54442D18"),
        (16, "64", "0d400921FB54442D18"),
        (24, "64", "0dFFF0000000000000"),
    ]);
    let (text, count) = print("%f %.3e %g %f", &fill, 1);
    assert_eq!((text.as_str(), count), ("3.141593 3.142e+00 3.14159 -inf", 4));
    let fill = put(&[
        (0, "32", "9"),
        (4, "32", "2"),
        (8, "64", "0d400921FB54442D18"),
        (16, "32", "6"),
        (20, "32", "42"),
    ]);
    let (text, count) = print("<%*.*f|%-*d>%%", &fill, 1);
    assert_eq!((text.as_str(), count), ("<     3.14|42    >%", 5));
}

#[test]
fn texts_characters_and_pointers_are_printed() {
    let fill = format!(
        "add.s64 %rd11, %rd1, 200;\nst.local.b64 [l], %rd11;\nst.local.b64 [l+24], %rd1;\n{}",
        put(&[(8, "32", "65"), (16, "64", "0")])
    );
    let (text, count) = print("%s %c %s %p", &fill, 1);
    assert_eq!((text.as_str(), count), ("words A (null) 0x300000000000", 4));
    let fill = format!(
        "add.s64 %rd11, %rd1, 200;\nst.local.b64 [l], %rd11;\n{}",
        put(&[(8, "32", "66"), (12, "32", "67")])
    );
    let (text, _) = print("[%8.3s][%3c][%-3c]", &fill, 1);
    assert_eq!(text, "[     wor][  B][C  ]");
}

#[test]
fn every_thread_prints_a_line_of_its_own() {
    let (text, _) = print("thread %u\n", "st.local.u32 [l], %r7;", 40);
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 40);
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 40, "each says its own number");
}

#[test]
fn a_format_that_is_no_text_is_a_fault() {
    let body = "mov.u64 %rd5, 64;\n{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %rd5;\n\
        st.param.b64 [a], %rd5;\ncall.uni (r), vprintf, (f, a);\n}\nret;";
    let fault = Machine::new(&module(VPRINTF, body), 1).launch(&Setup::new(1, 1)).fault();
    assert!(fault.what.contains("it prints 1 bytes at 0x40"), "{}", fault.what);
    // Values that lie at the very end of the address space.
    let body = "mov.u64 %rd5, -3;\n{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %rd1;\n\
        st.param.b64 [a], %rd5;\ncall.uni (r), vprintf, (f, a);\n}\nret;";
    let machine = Machine::new(&module(VPRINTF, body), 1);
    machine.memory.write(machine.data, b"%d\0").unwrap();
    assert!(machine.launch(&Setup::new(1, 1)).fault().what.contains("an illegal address"));
}

const HEAP: &str =
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 a);";

fn allocate(bytes: &str) -> String {
    format!(
        "mov.u64 %rd6, {bytes};\n{{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], %rd6;\n\
         call.uni (r), malloc, (n);\nld.param.b64 %rd5, [r];\n}}\n"
    )
}

const FREE: &str = "{\n.param .b64 a;\nst.param.b64 [a], %rd5;\ncall.uni free, (a);\n}\n";

#[test]
fn kernels_take_memory_and_give_it_back() {
    let body = format!(
        "{}st.u32 [%rd5+96], %r1;\nbar.sync 0;\nld.u32 %r2, [%rd5+96];\nst.global.u32 [%rd2], %r2;\n{FREE}ret;",
        allocate("100")
    );
    let machine = Machine::new(&module(HEAP, &body), 128);
    let free = machine.memory.free_bytes();
    for seed in 0..5 {
        let memory = machine.launch(&Setup::new(2, 64).seed(seed)).well();
        assert!(memory.iter().enumerate().all(|(thread, value)| *value == thread as u32));
        assert_eq!(machine.memory.free_bytes(), free, "all was given back");
    }
}

#[test]
fn memory_outlives_the_launch_that_took_it() {
    let machine = Machine::new(
        &module(
            HEAP,
            &format!("{}st.u32 [%rd5], 77;\nst.global.u64 [%rd1], %rd5;\nret;", allocate("16")),
        ),
        3,
    );
    machine.launch(&Setup::new(1, 1)).well();
    let reader = crate::support::prepare(&module(
        HEAP,
        &format!(
            "ld.global.u64 %rd5, [%rd1];\nld.u32 %r2, [%rd5];\nst.global.u32 [%rd1+8], %r2;\n{FREE}ret;"
        ),
    ));
    assert_eq!(machine.launch_kernel(&reader, &Setup::new(1, 1)).well()[2], 77);
}

#[test]
fn malloc_gives_null_when_there_is_no_memory_and_free_takes_it() {
    for bytes in ["0x40000000", "-1"] {
        let body = format!("{}st.global.u64 [%rd1], %rd5;\n{FREE}ret;", allocate(bytes));
        let machine = Machine::new(&module(HEAP, &body), 2);
        machine.write(0, &[9, 9]);
        assert_eq!(machine.launch(&Setup::new(1, 32)).well(), [0, 0]);
    }
}

#[test]
fn clocks_only_go_forward() {
    for clock in ["mov.u64 %rd6, %clock64;", "mov.u64 %rd6, %globaltimer;"] {
        // Each thread reads it twice, with others in between.
        let text = kernel(&format!(
            "{clock}\nmov.u64 %rd5, %rd6;\nmov.u32 %r2, 0;\n$l:\nadd.s32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 300;\n\
             @%p1 bra $l;\n{clock}\nsetp.gt.u64 %p2, %rd6, %rd5;\nselp.b32 %r3, 1, 0, %p2;\nst.global.u32 [%rd2], %r3;\nret;"
        ));
        let machine = Machine::new(&text, 256);
        for seed in 0..5 {
            assert_eq!(machine.launch(&Setup::new(2, 128).seed(seed)).well(), [1; 256]);
        }
    }
}

#[test]
fn the_timer_is_the_same_for_all() {
    // A thread that reads the timer behind a barrier sees no less than who read it in front.
    let text = kernel(
        "setp.ge.u32 %p1, %r7, 32;
        @%p1 bra $late;
        mov.u32 %r2, 0;
        $l:
        add.s32 %r2, %r2, 1;
        setp.lt.u32 %p2, %r2, 1000;
        @%p2 bra $l;
        mov.u64 %rd5, %globaltimer;
        st.shared.u64 [s], %rd5;
        bar.sync 0;
        ret;
        $late:
        bar.sync 0;
        mov.u64 %rd6, %globaltimer;
        ld.shared.u64 %rd5, [s];
        setp.ge.u64 %p2, %rd6, %rd5;
        selp.b32 %r3, 1, 0, %p2;
        st.global.u32 [%rd2], %r3;
        ret;",
    );
    let machine = Machine::new(&text, 64);
    for seed in 0..10 {
        assert_eq!(machine.launch(&Setup::new(1, 64).seed(seed)).well()[32..], [1; 32]);
    }
}

#[test]
fn a_cooperative_launch_has_a_workspace_for_its_grid() {
    let text = kernel(
        "mov.u32 %r2, %envreg1;
        mov.u32 %r3, %envreg2;
        mov.b64 %rd5, {%r3, %r2};
        setp.eq.u64 %p1, %rd5, 0;
        @%p1 bra $none;
        ld.u32 %r4, [%rd5];
        st.global.u32 [%rd1], %r4;
        atom.add.u32 %r5, [%rd5+4], 1;
        ret;
        $none:
        st.global.u32 [%rd1], 1;
        ret;",
    );
    let text =
        text.replace("st.global.u32 [%rd1], 1;", "mov.u32 %r4, 1;\nst.global.u32 [%rd1], %r4;");
    let machine = Machine::new(&text, 1);
    let free = machine.memory.free_bytes();
    let done = machine.launch(&Setup { cooperative: true, ..Setup::new(4, 32) });
    assert_eq!(done.well(), [256]);
    assert_eq!(machine.memory.free_bytes(), free, "the workspace is gone with the launch");
    assert_eq!(machine.launch(&Setup::new(4, 32)).well(), [1]);
}

#[test]
fn dynamic_shared_memory_lies_behind_the_static() {
    let text = module(
        ".extern .shared .align 16 .b8 dynamic[];",
        "mov.u32 %r2, dynamic;\nshl.b32 %r3, %r7, 2;\nadd.s32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r7;\n\
         mov.u32 %r4, %dynamic_smem_size;\nmov.u32 %r5, %total_smem_size;\nst.global.u32 [%rd1], %r4;\n\
         st.global.u32 [%rd1+4], %r5;\nst.shared.u32 [s], %r4;\nld.shared.u32 %r6, [%r2];\nst.global.u32 [%rd2+8], %r6;\nret;",
    );
    let machine = Machine::new(&text, 34);
    let memory = machine.launch(&Setup { dynamic_shared_bytes: 128, ..Setup::new(1, 32) }).well();
    assert_eq!(memory[..2], [128, 1024 + 128]);
    assert_eq!(memory[2..], (0..32).collect::<Vec<u32>>());
    let fault = machine.launch(&Setup { dynamic_shared_bytes: 124, ..Setup::new(1, 32) }).fault();
    assert_eq!(fault.thread, 31);
}
