//! Programs that the program starts belong to the run, too.
//!
//! Our libraries get into a program by its environment, and whoever starts a program chooses that. So the functions of
//! the C library that start programs come here first: what belongs to the run is put back into the environment, and the
//! log hears of the program before it starts. A program that was announced and never entered was not checked; the
//! command looks at what it was. What starts programs by system calls of its own is not seen
//! here; the command looks for it.

use super::behind::Behind;
use super::system_calls::Uses;
use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use warpsan_runtime::{Membership, membership};

/// Runs when the library is loaded, before the program does: from here on the log can be written, whatever the program
/// makes of its environment, its descriptors and its rights.
#[used]
#[unsafe(link_section = ".init_array")]
static ENTER: extern "C" fn() = enter;

extern "C" fn enter() {
    // A process that does not belong to a run is left alone; one whose log cannot be used is missed by the command.
    let _ = catch_unwind(membership);
    super::last_thread::watch_main_thread();
}

type Words = *const *const c_char;

unsafe extern "C" {
    static mut environ: Words;
}

/// The environment of a program that is about to be started, in the form that the system takes.
struct Announced {
    run: &'static Membership,
    start: u64,
    entries: Vec<CString>,
}

impl Announced {
    /// Announces a program, if this process belongs to a run.
    ///
    /// # Safety
    /// `wanted` is null or a list of C strings that null ends.
    unsafe fn new(program: &OsStr, wanted: Words) -> Option<Announced> {
        let announced = catch_unwind(AssertUnwindSafe(|| {
            let run = membership().ok()?;
            let start = run.announce(program);
            // SAFETY: passed on.
            let wanted = unsafe { list(wanted) };
            let wanted: Vec<&OsStr> =
                wanted.iter().map(|entry| OsStr::from_bytes(entry.to_bytes())).collect();
            let entries = run.environment_for(&wanted, start).into_iter();
            let entries = entries.filter_map(|entry| CString::new(entry.into_vec()).ok()).collect();
            Some(Announced { run, start, entries })
        }));
        announced.ok().flatten()
    }

    fn words(&self) -> Vec<*const c_char> {
        self.entries.iter().map(|entry| entry.as_ptr()).chain([std::ptr::null()]).collect()
    }

    /// The program could not be started. What the system has said about it stays.
    fn withdraw(&self) {
        // SAFETY: the place of `errno` is there for every thread.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: as above.
        let said = unsafe { *errno };
        let _ = catch_unwind(AssertUnwindSafe(|| self.run.withdraw(self.start)));
        // SAFETY: as above.
        unsafe { *errno = said };
    }
}

/// # Safety
/// `words` is null or a list of C strings that null ends, which outlives the answer.
unsafe fn list<'a>(words: Words) -> Vec<&'a CStr> {
    let mut all = Vec::new();
    if words.is_null() {
        return all;
    }
    for index in 0.. {
        // SAFETY: the end has not been reached.
        let word = unsafe { *words.add(index) };
        if word.is_null() {
            break;
        }
        // SAFETY: the caller passes C strings.
        all.push(unsafe { CStr::from_ptr(word) });
    }
    all
}

/// The file that a program's name means here: the program may go elsewhere before anybody looks.
///
/// # Safety
/// `name` is null or a C string.
unsafe fn file(name: *const c_char) -> OsString {
    if name.is_null() {
        return OsString::new();
    }
    // SAFETY: not null.
    let name = OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes());
    if name.as_bytes().contains(&b'/') && !name.as_bytes().starts_with(b"/") {
        let folder = std::env::current_dir().unwrap_or_default();
        return folder.join(name).into_os_string();
    }
    name.to_os_string()
}

/// The file behind a descriptor, and a path below it.
///
/// # Safety
/// `path` is null or a C string.
unsafe fn file_at(descriptor: c_int, path: *const c_char) -> OsString {
    // SAFETY: passed on.
    let path = unsafe { file(path) };
    let folder = std::fs::read_link(format!("/proc/self/fd/{descriptor}"));
    match folder {
        Ok(folder) if path.is_empty() => folder.into_os_string(),
        Ok(folder) => folder.join(path).into_os_string(),
        Err(_) => path,
    }
}

/// Calls a function that starts a program with an environment, `-1` or an error's number where it fails.
unsafe fn start_with(
    program: &OsStr,
    wanted: Words,
    failed: impl Fn(c_int) -> bool,
    start: impl FnOnce(Words) -> c_int,
) -> c_int {
    // SAFETY: passed on.
    let Some(announced) = (unsafe { Announced::new(program, wanted) }) else {
        return start(wanted);
    };
    let answer = start(announced.words().as_ptr());
    if failed(answer) {
        announced.withdraw();
    }
    answer
}

fn not_there() -> c_int {
    // SAFETY: the place of `errno` is there for every thread.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}

/// The system reads the path and the arguments, which may lie in memory that devices use, too. The environment is ours.
fn passed_to_system(path: *const c_char, arguments: Words) -> Uses {
    let mut uses = Uses::new();
    uses.reads_text(path.cast_mut().cast());
    uses.reads_texts(arguments.cast_mut().cast());
    uses
}

/// Functions that replace the program of this process.
macro_rules! replaces_program {
    ($($name:ident as $text:literal($($argument:ident: $kind:ty),*), environment $environment:ident, passes $passed:expr, file $file:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name($($argument: $kind),*) -> c_int {
            static BEHIND: Behind = Behind::new($text);
            let behind = BEHIND.get();
            if behind.is_null() {
                return not_there();
            }
            type Function = unsafe extern "C-unwind" fn($($kind),*) -> c_int;
            // SAFETY: the function behind has the same name and so the same type.
            let behind: Function = unsafe { std::mem::transmute::<*mut c_void, Function>(behind) };
            let _uses = $passed;
            // SAFETY: the program passes what the function's manual asks for.
            unsafe {
                start_with(&$file, $environment, |answer| answer == -1, |$environment| behind($($argument),*))
            }
        }
    )*};
}

replaces_program! {
    execve as c"execve"(program: *const c_char, arguments: Words, environment: Words),
        environment environment, passes passed_to_system(program, arguments), file file(program);
    execvpe as c"execvpe"(program: *const c_char, arguments: Words, environment: Words),
        environment environment, passes passed_to_system(program, arguments), file file(program);
    fexecve as c"fexecve"(descriptor: c_int, arguments: Words, environment: Words),
        environment environment, passes passed_to_system(std::ptr::null(), arguments), file file_at(descriptor, std::ptr::null());
    execveat as c"execveat"(folder: c_int, program: *const c_char, arguments: Words, environment: Words, flags: c_int),
        environment environment, passes passed_to_system(program, arguments), file file_at(folder, program);
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn execv(program: *const c_char, arguments: Words) -> c_int {
    // SAFETY: the same contract; nobody else changes the list while it is passed on.
    unsafe { execve(program, arguments, environ) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn execvp(program: *const c_char, arguments: Words) -> c_int {
    // SAFETY: the same contract.
    unsafe { execvpe(program, arguments, environ) }
}

/// `execle` with its arguments as a list: the environment stands behind their end.
unsafe extern "C-unwind" fn execve_of_list(program: *const c_char, arguments: Words) -> c_int {
    // SAFETY: the program passes a list of C strings, null, and an environment.
    unsafe {
        let count = list(arguments).len();
        execve(program, arguments, (*arguments.add(count + 1)).cast())
    }
}

/// Functions whose arguments are a program and any number of words: those in registers are put before those on the
/// stack, which makes them a list.
#[cfg(target_arch = "x86_64")]
macro_rules! takes_words {
    ($($name:ident = $with_list:path;)*) => {$(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name(program: *const c_char) -> c_int {
            std::arch::naked_asm!(
                "pop r10",
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "mov rsi, rsp",
                "push r10",
                "call {with_list}",
                "pop r10",
                "add rsp, 40",
                "push r10",
                "ret",
                with_list = sym $with_list,
            )
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
takes_words! {
    execl = execv;
    execlp = execvp;
    execle = execve_of_list;
}

/// Functions that start a program in a process of its own.
macro_rules! starts_process {
    ($($name:ident as $text:literal;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(
            process: *mut libc::pid_t,
            program: *const c_char,
            actions: *const c_void,
            attributes: *const c_void,
            arguments: Words,
            environment: Words,
        ) -> c_int {
            static BEHIND: Behind = Behind::new($text);
            let behind = BEHIND.get();
            if behind.is_null() {
                return libc::ENOSYS;
            }
            type Function = unsafe extern "C-unwind" fn(
                *mut libc::pid_t, *const c_char, *const c_void, *const c_void, Words, Words,
            ) -> c_int;
            // SAFETY: the function behind has the same name and so the same type.
            let behind: Function = unsafe { std::mem::transmute::<*mut c_void, Function>(behind) };
            let _uses = passed_to_system(program, arguments);
            // SAFETY: the program passes what the function's manual asks for.
            unsafe {
                start_with(&file(program), environment, |answer| answer != 0, |environment| {
                    behind(process, program, actions, attributes, arguments, environment)
                })
            }
        }
    )*};
}

starts_process! {
    posix_spawn as c"posix_spawn";
    posix_spawnp as c"posix_spawnp";
}

/// Functions that have a shell run a command, with the environment of this process.
macro_rules! runs_shell {
    ($($name:ident as $text:literal($($argument:ident: $kind:ty),*) -> $answer:ty, passes $passed:ident, failed $failed:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name($($argument: $kind),*) -> $answer {
            static BEHIND: Behind = Behind::new($text);
            let behind = BEHIND.get();
            if behind.is_null() {
                return not_there() as $answer;
            }
            type Function = unsafe extern "C-unwind" fn($($kind),*) -> $answer;
            // SAFETY: the function behind has the same name and so the same type.
            let behind: Function = unsafe { std::mem::transmute::<*mut c_void, Function>(behind) };
            let _uses = passed_to_system($passed, std::ptr::null());
            // SAFETY: the same contract; `environ` is a list of C strings.
            unsafe {
                let Some(announced) = Announced::new(OsStr::new("/bin/sh"), environ) else {
                    return behind($($argument),*);
                };
                let words = announced.words();
                let before = environ;
                environ = words.as_ptr();
                let answer = behind($($argument),*);
                // Somebody else may have made a new list meanwhile, which stays.
                if environ == words.as_ptr() {
                    environ = before;
                }
                if $failed(answer) {
                    announced.withdraw();
                }
                answer
            }
        }
    )*};
}

runs_shell! {
    system as c"system"(command: *const c_char) -> c_int, passes command,
        failed |answer| answer == -1 || command.is_null();
    popen as c"popen"(command: *const c_char, mode: *const c_char) -> *mut libc::FILE, passes command,
        failed |answer: *mut libc::FILE| answer.is_null();
}
