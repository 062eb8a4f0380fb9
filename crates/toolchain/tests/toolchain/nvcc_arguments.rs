//! What `warpsan nvcc` adds to the user's arguments.

use std::ffi::OsString;
use std::fs;

use crate::support::Machine;
use crate::support::fake_toolkit::Layout;

fn words(text: &str) -> Vec<OsString> {
    text.split_whitespace().map(OsString::from).collect()
}

fn arguments(machine: &Machine, given: &str) -> Vec<OsString> {
    let command = machine.toolchain().nvcc_command(&words(given)).unwrap();
    assert_eq!(command.get_program(), machine.path("usual/bin/nvcc"));
    command.get_args().map(OsString::from).collect()
}

#[test]
fn lines_and_the_shared_runtime_are_added_unless_the_user_chose() {
    let machine = Machine::new();
    machine.add_toolkit("usual", Layout::Installer, "99.1.2");
    for (given, expected) in [
        ("a.cu -o a", "-lineinfo -cudart=shared a.cu -o a"),
        ("-c a.cu", "-lineinfo -cudart=shared -c a.cu"),
        ("-G a.cu", "-cudart=shared -G a.cu"),
        ("--device-debug a.cu", "-cudart=shared --device-debug a.cu"),
        ("-lineinfo a.cu", "-cudart=shared -lineinfo a.cu"),
        ("a.cu -cudart static", "-lineinfo a.cu -cudart static"),
        ("--cudart=none a.cu", "-lineinfo --cudart=none a.cu"),
        ("", "-lineinfo -cudart=shared"),
    ] {
        assert_eq!(arguments(&machine, given), words(expected), "for {given}");
    }
}

#[test]
fn choices_in_variables_and_options_files_count() {
    let mut machine = Machine::new();
    machine.add_toolkit("usual", Layout::Installer, "99.1.2");
    machine.set("NVCC_APPEND_FLAGS", "-O2  -cudart=static");
    assert_eq!(arguments(&machine, "a.cu"), words("-lineinfo a.cu"));
    let file = machine.write("options", "-G\n");
    let given = format!("-optf {} a.cu", file.display());
    assert_eq!(arguments(&machine, &given), words(&given));
}

#[test]
fn the_wheels_library_folder_and_link_name_are_made_known_to_the_linker() {
    let machine = Machine::new();
    let root = machine.add_toolkit("usual", Layout::Wheels, "99.1.2");
    let arguments = arguments(&machine, "a.cu -L/mine");
    let added = &arguments[4..];
    assert_eq!(arguments[3], "-L/mine");
    assert_eq!(added[0], *format!("-L{}", root.join("lib").display()));
    let folder = added[1].to_str().unwrap().strip_prefix("-L").unwrap();
    assert!(folder.starts_with(machine.path("home/.cache/warpsan").to_str().unwrap()), "{folder}");
    let link = fs::read_link(format!("{folder}/libcudart.so")).unwrap();
    assert_eq!(link, root.join("lib/libcudart.so.13"));
    // With a link name of its own the toolkit needs no other.
    machine.write("usual/lib/libcudart.so", "");
    assert_eq!(self::arguments(&machine, "a.cu").len(), 4);
}

#[test]
fn nvcc_gets_the_environment_and_its_exit_code_comes_back() {
    let machine = Machine::new();
    machine.add_toolkit("usual", Layout::Installer, "99.1.2");
    let broken = machine.write("broken.cu", "broken");
    let given = [broken.into_os_string(), "-o".into(), "x".into(), "-MF".into(), "y".into()];
    let output = machine.toolchain().nvcc_command(&given).unwrap().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
