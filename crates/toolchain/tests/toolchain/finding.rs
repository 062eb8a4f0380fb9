//! Which toolkit is found, in which order, and which mistakes are errors.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use warpsan_toolchain::{Consent, ConsentSource, Error, Installer, Origin, Silent};

use crate::support::Machine;
use crate::support::fake_toolkit::Layout;

/// A machine that has a toolkit in every place where one is looked for.
fn machine_with_everything() -> Machine {
    let mut machine = Machine::new();
    for folder in ["flag", "cuda-home", "cuda-path", "on-path", "usual"] {
        machine.add_toolkit(folder, Layout::Installer, "99.1.2");
    }
    machine.add_python("ok");
    install(&machine);
    machine.set("CUDA_HOME", machine.path("cuda-home"));
    machine.set("CUDA_PATH", machine.path("cuda-path"));
    let path = std::env::join_paths([machine.path("bin"), machine.path("on-path/bin")]).unwrap();
    machine.set("PATH", path);
    machine
}

fn install(machine: &Machine) {
    let installer = Installer::new(&machine.environment()).unwrap();
    installer.install(Consent::given_by(ConsentSource::Flag), &mut Silent).unwrap();
}

#[test]
fn the_order_is_flag_cuda_home_cuda_path_path_usual_folder_cache() {
    let mut machine = machine_with_everything();
    let found = |machine: &Machine, flag: Option<PathBuf>| {
        let mut search = machine.search();
        search.cuda_path = flag;
        let toolchain = search.find().unwrap();
        toolchain.map(|t| (t.toolkit().origin(), t.toolkit().root().to_path_buf()))
    };
    let (flag, home) = (machine.path("flag"), machine.path("cuda-home"));
    assert_eq!(found(&machine, Some(flag.clone())), Some((Origin::Flag, flag)));
    assert_eq!(found(&machine, None), Some((Origin::CudaHome, home)));
    machine.set("CUDA_HOME", "");
    assert_eq!(found(&machine, None), Some((Origin::CudaPath, machine.path("cuda-path"))));
    machine.set("CUDA_PATH", "");
    assert_eq!(found(&machine, None), Some((Origin::Path, machine.path("on-path"))));
    machine.set("PATH", machine.path("bin"));
    assert_eq!(found(&machine, None), Some((Origin::UsualFolder, machine.path("usual"))));
    fs::remove_dir_all(machine.path("usual")).unwrap();
    let (origin, root) = found(&machine, None).unwrap();
    assert_eq!(origin, Origin::Cache);
    assert!(root.starts_with(machine.path("home/.cache/warpsan")), "{}", root.display());
    fs::remove_dir_all(machine.path("home")).unwrap();
    assert_eq!(found(&machine, None), None);
}

#[test]
fn a_variable_without_a_compiler_behind_it_is_an_error_that_names_it() {
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        let mut machine = Machine::new();
        machine.add_toolkit("usual", Layout::Installer, "99.1.2");
        machine.set(variable, machine.path("wrong"));
        let error = machine.search().find().unwrap_err();
        let Error::NoToolkitThere { given_by, folder, missing } = &error else {
            panic!("{error}");
        };
        assert_eq!(*given_by, variable);
        assert_eq!(*folder, machine.path("wrong"));
        assert_eq!(*missing, machine.path("wrong/bin/nvcc"));
        assert!(error.to_string().contains("bin/nvcc"), "{error}");
    }
}

#[test]
fn a_flag_without_a_compiler_behind_it_is_an_error_also_where_a_variable_is_right() {
    let mut machine = Machine::new();
    machine.add_toolkit("good", Layout::Installer, "99.1.2");
    machine.set("CUDA_HOME", machine.path("good"));
    let mut search = machine.search();
    search.cuda_path = Some(machine.path("good/lib64"));
    let error = search.find().unwrap_err().to_string();
    assert!(error.contains("--cuda-path"), "{error}");
}

#[test]
fn an_nvcc_that_cannot_be_executed_is_none() {
    let mut machine = Machine::new();
    machine.write("kit/bin/nvcc", "not executable");
    machine.set("PATH", machine.path("kit/bin"));
    assert!(machine.search().find().unwrap().is_none());
    machine.set("CUDA_HOME", machine.path("kit"));
    assert!(matches!(machine.search().find(), Err(Error::NoToolkitThere { .. })));
}

#[test]
fn a_link_or_a_wrapper_on_path_leads_to_its_toolkit() {
    let machine = Machine::new();
    let root = machine.add_toolkit("kit", Layout::Installer, "99.1.2");
    symlink(root.join("bin/nvcc"), machine.path("bin/nvcc")).unwrap();
    let real = root.canonicalize().unwrap();
    assert_eq!(machine.toolchain().toolkit().root(), real);
    fs::remove_file(machine.path("bin/nvcc")).unwrap();
    machine.write_nvcc("bin/nvcc", &root, "99.1.2");
    assert_eq!(machine.toolchain().toolkit().root(), real);
}

#[test]
fn a_wrapper_on_path_that_leads_nowhere_is_an_error() {
    let machine = Machine::new();
    machine.write_script("bin/nvcc", "#!/bin/sh\nexit 1\n");
    let error = machine.search().find().unwrap_err();
    assert!(matches!(error, Error::PathCompilerUnusable { .. }), "{error}");
    assert!(error.to_string().contains("CUDA_HOME"), "{error}");
}

#[test]
fn a_toolkit_has_a_version_and_parts() {
    let machine = Machine::new();
    machine.add_toolkit("usual", Layout::Wheels, "99.1.2");
    let toolchain = machine.toolchain();
    let toolkit = toolchain.toolkit();
    assert_eq!(toolkit.version().unwrap(), "99.1.2");
    assert_eq!(toolkit.ptxas(), None);
    assert_eq!(toolkit.include_folders(), [machine.path("usual/include")]);
    // NVRTC without its builtins cannot compile, so it does not count.
    machine.write("usual/lib/libnvrtc.so.13", "");
    assert_eq!(toolkit.nvrtc_library(), None);
    machine.write("usual/lib/libnvrtc-builtins.so.13.0", "");
    assert_eq!(toolkit.nvrtc_library(), Some(machine.path("usual/lib/libnvrtc.so.13")));
    assert!(toolchain.host_compiler(&[]).is_err());
    machine.add_host_compiler();
    assert_eq!(toolchain.host_compiler(&[]).unwrap().path(), machine.path("bin/g++"));
}
