//! The libraries that the binary carries, and putting them where the dynamic linker finds them.

use std::fs::{DirBuilder, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The CUDA runtime's place in a checked process; everything else leads to it.
const RUNTIME: &str = "libwarpsan_rt.so";
/// The libraries under the names by which programs ask for cudart.
const CUDART: [&str; 2] = ["libcudart.so.12", "libcudart.so.13"];
/// The driver, of which a few functions are answered. A program may open it, or need it.
const DRIVER: &str = "libcuda.so.1";
/// What stands in front of the real driver when a program runs on its GPU. Its folder has nothing else.
const FORWARDER: &str = "gpu/libcuda.so.1";
/// Another name by which programs ask for the driver.
const FORWARDER_LINK: &str = "gpu/libcuda.so";
/// The audit library, which redirects statically linked cudart.
const AUDIT: &str = "libwarpsan_audit.so";

/// The folder of the libraries for threads: one for each detector, one that records, and what takes the place of the compilers' runtimes.
const THREADS: &str = "threads";
/// The names of those runtimes. A program that needs one is content with a library of that name.
const THREAD_RUNTIMES: [&str; 3] = ["libtsan.so.2", "libtsan.so.0", "libclang_rt.tsan-x86_64.so"];

/// One library inside this binary.
struct EmbeddedLibrary {
    name: &'static str,
    bytes: &'static [u8],
}

#[cfg(feature = "embed-libraries")]
include!(concat!(env!("OUT_DIR"), "/embedded_libraries.rs"));

#[cfg(not(feature = "embed-libraries"))]
static LIBRARIES: &[EmbeddedLibrary] = &[];
#[cfg(not(feature = "embed-libraries"))]
const CONTENT_HASH: &str = "nothing";

/// Says what to do where this binary was built without the libraries.
pub(crate) fn ensure_carried() -> anyhow::Result<()> {
    anyhow::ensure!(
        !LIBRARIES.is_empty(),
        "this warpsan was built without the libraries that go into a program, and cannot check one; in the folder of \
         its sources, `cargo warpsan run …` builds and runs a whole one, and \
         `cargo install --path crates/cli --features embed-libraries` installs it"
    );
    Ok(())
}

/// Says what to do where this binary was built without a library for threads.
pub(crate) fn ensure_threads_carried(library: &str) -> anyhow::Result<()> {
    let name = format!("{THREADS}/{library}.so");
    anyhow::ensure!(
        LIBRARIES.iter().any(|library| library.name == name),
        "this warpsan was built without {name}, and cannot check threads so; build it again"
    );
    Ok(())
}

/// A folder that holds the libraries, complete and undamaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LibraryFolder {
    path: PathBuf,
}

impl LibraryFolder {
    /// A folder for tests, with nothing in it.
    #[cfg(test)]
    pub(crate) fn at(path: &Path) -> LibraryFolder {
        LibraryFolder { path: path.to_path_buf() }
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The libraries to preload, in order.
    pub(crate) fn preloaded(&self) -> impl Iterator<Item = PathBuf> {
        std::iter::once(RUNTIME).chain(CUDART).chain([DRIVER]).map(|name| self.path.join(name))
    }

    /// The libraries to preload, in order, when the program runs on its GPU.
    pub(crate) fn preloaded_on_gpu(&self) -> impl Iterator<Item = PathBuf> {
        [RUNTIME, FORWARDER].into_iter().map(|name| self.path.join(name))
    }

    /// A folder with nothing but what stands in front of the driver, under all its names.
    pub(crate) fn driver_folder(&self) -> PathBuf {
        self.path.join(Path::new(FORWARDER).parent().unwrap_or(Path::new("")))
    }

    /// The libraries to preload before all others, in order, when threads are checked.
    pub(crate) fn preloaded_for_threads(
        &self,
        library: &str,
    ) -> impl Iterator<Item = PathBuf> + use<> {
        let folder = self.path.join(THREADS);
        let library = format!("{library}.so");
        let runtimes = THREAD_RUNTIMES.map(str::to_string);
        std::iter::once(library).chain(runtimes).map(move |name| folder.join(name))
    }

    /// The audit library.
    pub(crate) fn audit(&self) -> PathBuf {
        self.path.join(AUDIT)
    }
}

/// Unpacks the libraries below `root`, unless they are there. The folder's name is the hash of what
/// it holds, so different builds of warpsan do not get in each other's way. Every file appears at
/// once and whole, so that neither an interruption nor another warpsan leaves or sees a part of one;
/// a file that is not as it should be is replaced.
pub(crate) fn unpack(root: &Path) -> io::Result<LibraryFolder> {
    std::fs::create_dir_all(root)?;
    let path = root.join("libraries").join(CONTENT_HASH);
    make_private(&root.join("libraries"))?;
    make_private(&path)?;
    for library in LIBRARIES {
        let file = path.join(library.name);
        if let Some(folder) = file.parent().filter(|folder| *folder != path) {
            make_private(folder)?;
        }
        if !holds(&file, library.bytes) {
            replace(&path, &file, library.bytes)?;
        }
    }
    match std::os::unix::fs::symlink(DRIVER, path.join(FORWARDER_LINK)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    Ok(LibraryFolder { path })
}

/// Whether the dynamic linker can be given files in this folder: it splits its lists at colons
/// and spaces, expands what begins with a dollar sign, and has no way to quote.
pub(crate) fn can_be_preloaded_from(root: &Path) -> bool {
    root.is_absolute() && !root.as_os_str().as_bytes().iter().any(|byte| b": $".contains(byte))
}

/// Makes a folder that only this user can use, whatever the umask, or makes sure that one is such.
fn make_private(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => std::fs::set_permissions(path, Permissions::from_mode(0o700)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let found = path.symlink_metadata()?;
            match found.is_dir() && is_ours_alone(&found) {
                true => Ok(()),
                false => Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    format!("{} is not a folder that only you can change", path.display()),
                )),
            }
        }
        Err(error) => Err(error),
    }
}

/// Whether it belongs to this user, or the system's, and nobody else can change it.
fn is_ours_alone(found: &Metadata) -> bool {
    // SAFETY: the call reads a number of this process.
    let user = unsafe { libc::geteuid() };
    [0, user].contains(&found.uid()) && found.mode() & 0o022 == 0
}

/// A file of our own, which nobody else can change, with these bytes. They are read only if the file may have changed since
/// they were last: that takes as long as all the rest of a start.
fn holds(file: &Path, bytes: &[u8]) -> bool {
    let is_right =
        |data: &Metadata| data.is_file() && is_ours_alone(data) && data.len() == bytes.len() as u64;
    let Some(found) = file.symlink_metadata().ok().filter(is_right) else { return false };
    let stamp = stamp_of(&found);
    let compared = compared_file(file);
    let is_ours = |data: Metadata| data.is_file() && is_ours_alone(&data);
    if compared.symlink_metadata().is_ok_and(is_ours)
        && std::fs::read_to_string(&compared).is_ok_and(|text| text == stamp)
    {
        return true;
    }
    let is_same = std::fs::read(file).is_ok_and(|found| found == bytes);
    if is_same && is_old(&found) {
        // Without it, the next start takes longer.
        let folder = file.parent().unwrap_or(Path::new("."));
        let _ = replace(folder, &compared, stamp.as_bytes());
    }
    is_same
}

/// Where it is noted which file was compared.
fn compared_file(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!(".compared-{name}"))
}

/// What changes when a file does.
fn stamp_of(found: &Metadata) -> String {
    let (changed, modified) = (found.ctime(), found.mtime());
    let (ino, len) = (found.ino(), found.len());
    format!("{ino} {len} {changed}.{:09} {modified}.{:09}", found.ctime_nsec(), found.mtime_nsec())
}

/// Whether a change from now on would have another time: clocks of file systems are coarse.
fn is_old(found: &Metadata) -> bool {
    const COARSE: Duration = Duration::from_millis(100);
    let changed = Duration::new(found.ctime().max(0) as u64, found.ctime_nsec().max(0) as u32);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.checked_sub(changed).is_some_and(|age| age > COARSE)
}

fn replace(folder: &Path, file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut new = tempfile::Builder::new().prefix(".unpacking-").tempfile_in(folder)?;
    new.write_all(bytes)?;
    new.persist(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_kept_in_folders_of_our_own() {
        let root = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
        let folder = root.path().join("new");
        make_private(&folder).expect("it is made");
        assert_eq!(mode(&folder), 0o700);
        make_private(&folder).expect("it is there");
        std::fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("its own");
        let error = make_private(&folder).expect_err("anybody could put a library there");
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        let link = root.path().join("link");
        std::os::unix::fs::symlink(root.path(), &link).expect("a link");
        assert!(make_private(&link).is_err(), "it leads elsewhere");
        let file = root.path().join("file");
        std::fs::write(&file, "text").expect("a file");
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("its own");
        assert!(holds(&file, b"text") && !holds(&file, b"next"));
        std::fs::set_permissions(&file, Permissions::from_mode(0o666)).expect("its own");
        assert!(!holds(&file, b"text"), "others can change it");
    }

    #[test]
    fn folders_that_the_dynamic_linker_would_split_are_not_used() {
        assert!(can_be_preloaded_from(Path::new("/home/user/.cache/warpsan")));
        assert!(!can_be_preloaded_from(Path::new("/home/some user/.cache")));
        assert!(!can_be_preloaded_from(Path::new("/home/a:b")));
        assert!(!can_be_preloaded_from(Path::new("/home/$LIB")));
        assert!(!can_be_preloaded_from(Path::new("relative")));
    }

    #[test]
    fn a_build_knows_whether_it_carries_the_libraries() {
        assert_eq!(ensure_carried().is_ok(), cfg!(feature = "embed-libraries"));
    }
}

#[cfg(all(test, feature = "embed-libraries"))]
mod tests_of_libraries {
    use super::*;
    use object::elf::{FileHeader64, SHN_UNDEF, STB_GLOBAL, STT_FUNC};
    use object::read::elf::{Dyn, ElfFile64, FileHeader, Sym};
    use object::{Endianness, Object, ObjectSymbol};
    use std::collections::BTreeSet;

    fn library(name: &str) -> &'static [u8] {
        LIBRARIES.iter().find(|library| library.name == name).expect("an embedded library").bytes
    }

    /// Names and symbol versions of the functions that a library defines.
    fn exports(bytes: &[u8]) -> BTreeSet<(String, String)> {
        let header = FileHeader64::<Endianness>::parse(bytes).expect("an ELF header");
        let endian = header.endian().expect("a byte order");
        let sections = header.sections(endian, bytes).expect("sections");
        let symbols =
            sections.symbols(endian, bytes, object::elf::SHT_DYNSYM).expect("dynamic symbols");
        let versions = sections.versions(endian, bytes).expect("versions").expect("versions");
        let mut found = BTreeSet::new();
        for (index, symbol) in symbols.enumerate() {
            let is_function = symbol.st_type() == STT_FUNC && symbol.st_bind() == STB_GLOBAL;
            if !is_function || symbol.st_shndx(endian) == SHN_UNDEF {
                continue;
            }
            let name = symbol.name(endian, symbols.strings()).expect("a name");
            let version = versions.version_index(endian, index);
            assert!(!version.is_hidden(), "programs link against the default version");
            let version =
                versions.version(version.index()).expect("a version").expect("not local").name();
            found.insert((text(name), text(version)));
        }
        found
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn listed(names: &str, version: &str) -> BTreeSet<(String, String)> {
        names.lines().map(|name| (name.to_owned(), version.to_owned())).collect()
    }

    #[test]
    fn the_library_in_front_of_the_driver_exports_what_the_driver_does() {
        let names = include_str!("../../forward/symbols/libcuda-580.txt");
        let file = object::File::parse(library(FORWARDER)).expect("an ELF file");
        let exported = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
        let exported: BTreeSet<&str> =
            exported.map(|symbol| symbol.name().expect("a name")).collect();
        assert_eq!(exported, names.lines().collect());
        assert_eq!(exported.len(), 682);
        let (soname, needed) = dynamic_names(library(FORWARDER));
        assert_eq!(soname.as_deref(), Some(DRIVER), "a program's own driver must give way");
        assert_eq!(needed, [RUNTIME], "it needs nothing but the runtime");
    }

    #[test]
    fn the_cudart_libraries_export_exactly_what_the_genuine_ones_do() {
        let names = include_str!("../../cuda-api/symbols/cudart-12.txt");
        assert_eq!(exports(library("libcudart.so.12")), listed(names, "libcudart.so.12"));
        assert_eq!(names.lines().count(), 435);
        let names = include_str!("../../cuda-api/symbols/cudart-13.txt");
        assert_eq!(exports(library("libcudart.so.13")), listed(names, "libcudart.so.13"));
        assert_eq!(names.lines().count(), 422);
    }

    /// The SONAME and the needed libraries.
    fn dynamic_names(bytes: &[u8]) -> (Option<String>, Vec<String>) {
        let file = ElfFile64::<Endianness>::parse(bytes).expect("an ELF file");
        let endian = file.endian();
        let sections = file.elf_section_table();
        let (entries, link) =
            sections.dynamic(endian, bytes).expect("a dynamic section").expect("a dynamic section");
        let strings = sections.strings(endian, bytes, link).expect("strings");
        let name = |entry: &object::elf::Dyn64<Endianness>| {
            text(entry.string(endian, strings).expect("a name"))
        };
        let with_tag = |tag: object::elf::DynamicTag| {
            entries.iter().filter(move |entry| entry.tag(endian) == tag).map(name)
        };
        (with_tag(object::elf::DT_SONAME).next(), with_tag(object::elf::DT_NEEDED).collect())
    }

    #[test]
    fn libraries_find_each_other_by_name() {
        for name in CUDART.into_iter().chain([DRIVER]) {
            let (soname, needed) = dynamic_names(library(name));
            assert_eq!(soname.as_deref(), Some(name), "a program's own cudart must give way");
            assert_eq!(needed, [RUNTIME], "a table needs nothing but the runtime");
        }
        let (soname, _) = dynamic_names(library(RUNTIME));
        assert_eq!(soname.as_deref(), Some(RUNTIME));
    }

    /// What the runtime has for the jump tables.
    const FOR_THE_TABLES: [&str; 3] =
        ["wsgpu_fill_table", "wsrt_unsupported", "wsrt_per_thread_default"];

    /// What it has in front of the C++ library, which this test does not load.
    const OF_CPP: [&str; 3] = ["__cxa_guard_abort", "__cxa_guard_acquire", "__cxa_guard_release"];

    /// Whether the C library has a function, if only for old programs.
    fn is_in_c_library(name: &str) -> bool {
        let name = std::ffi::CString::new(name).expect("no zero in a name");
        let oldest = c"GLIBC_2.2.5".as_ptr();
        // SAFETY: all are C strings.
        unsafe {
            !libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).is_null()
                || !libc::dlvsym(libc::RTLD_DEFAULT, name.as_ptr(), oldest).is_null()
        }
    }

    /// Every function of the runtime answers some name of cudart, or is in front of one of the C library: a misspelt one would not.
    #[test]
    fn every_answer_belongs_to_an_entry_point() {
        let all = [
            ("12", include_str!("../../cuda-api/symbols/cudart-12.txt")),
            ("13", include_str!("../../cuda-api/symbols/cudart-13.txt")),
        ];
        let mut possible: BTreeSet<String> = FOR_THE_TABLES.map(str::to_owned).into();
        let driver = include_str!("../../cuda-api/symbols/cuda-driver.txt");
        possible.extend(driver.lines().map(|name| format!("wsrt_{name}")));
        for (version, names) in all {
            for name in names.lines() {
                possible.insert(format!("wsrt_{name}"));
                possible.insert(format!("wsrt{version}_{name}"));
            }
        }
        let file = object::File::parse(library(RUNTIME)).expect("an ELF file");
        let answers = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
        let answers: BTreeSet<String> =
            answers.map(|symbol| symbol.name().expect("a name").to_owned()).collect();
        let is_known = |name: &&String| OF_CPP.contains(&name.as_str()) || is_in_c_library(name);
        let misspelt: Vec<_> =
            answers.difference(&possible).filter(|name| !is_known(name)).collect();
        assert!(misspelt.is_empty(), "{misspelt:?}");
        assert!(answers.contains("wsrt___cudaRegisterFatBinary"));
        assert!(answers.contains("wsrt_cudaCreateChannelDesc"), "it returns a structure");
    }

    #[test]
    fn unpacking_gives_whole_files_and_is_done_once() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = unpack(root.path()).expect("unpacked");
        assert!(folder.path().ends_with(CONTENT_HASH));
        let times = |folder: &LibraryFolder| -> Vec<_> {
            let files = LIBRARIES.iter().map(|library| folder.path().join(library.name));
            files.map(|file| file.metadata().expect("a file").modified().expect("a time")).collect()
        };
        let before = times(&folder);
        assert_eq!(unpack(root.path()).expect("unpacked"), folder);
        assert_eq!(times(&folder), before, "nothing was written again");
        for library in LIBRARIES {
            assert!(holds(&folder.path().join(library.name), library.bytes));
        }
        let files = std::fs::read_dir(folder.path()).expect("a folder").flatten();
        let is_note = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(".compared-");
        let files: BTreeSet<String> = files
            .map(|file| file.file_name().to_string_lossy().into_owned())
            .filter(|name| !is_note(name.as_ref()))
            .collect();
        let top = |library: &EmbeddedLibrary| library.name.split('/').next().map(str::to_owned);
        let expected: BTreeSet<String> = LIBRARIES.iter().filter_map(top).collect();
        assert_eq!(files, expected, "nothing temporary is left");
        let link = folder.path().join(FORWARDER_LINK).canonicalize().expect("a link");
        assert_eq!(link, folder.path().join(FORWARDER).canonicalize().expect("a file"));
    }

    #[test]
    fn damaged_files_are_replaced() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = unpack(root.path()).expect("unpacked");
        let file = folder.path().join(RUNTIME);
        let good = std::fs::read(&file).expect("a file");
        let mut flipped = good.clone();
        flipped[good.len() / 2] ^= 1;
        for damaged in [&good[..good.len() / 2], &[], &flipped] {
            std::fs::write(&file, damaged).expect("damage");
            unpack(root.path()).expect("unpacked");
            assert!(std::fs::read(&file).expect("a file") == good);
        }
        std::fs::remove_file(&file).expect("removed");
        unpack(root.path()).expect("unpacked");
        assert!(std::fs::read(&file).expect("a file") == good);
    }

    #[test]
    fn files_are_compared_again_when_they_have_changed() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = unpack(root.path()).expect("unpacked");
        let file = folder.path().join(RUNTIME);
        std::thread::sleep(2 * Duration::from_millis(100));
        unpack(root.path()).expect("compared");
        assert!(compared_file(&file).is_file(), "it is noted that it was compared");
        let mut flipped = std::fs::read(&file).expect("a file");
        flipped[0] ^= 1;
        std::fs::write(&file, &flipped).expect("damage");
        unpack(root.path()).expect("unpacked");
        assert!(std::fs::read(&file).expect("a file") != flipped, "the note is out of date");
    }

    #[test]
    fn many_can_unpack_at_once() {
        let root = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let folder = unpack(root.path()).expect("unpacked");
                    for library in LIBRARIES {
                        assert!(holds(&folder.path().join(library.name), library.bytes));
                    }
                });
            }
        });
    }
}
