//! Forms of the report, suppressions, and what is said when lines or sources are missing.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::command::{Ended, run, unique_number, warpsan};
use crate::support::fresh_folder;

/// The source that the line information of the kernel names: both blocks write in line 3.
const SOURCE: &str =
    "// Länge\n__global__ void clash(unsigned* out) {\n    *out = blockIdx.x;\n}\n";

/// Two blocks that write different values to one place, or one block that writes it alone. The
/// instructions are at line 3 of the source, if there is one.
fn kernel(blocks: u32, source: Option<&Path>) -> String {
    let (file, place) = match source {
        Some(source) => (format!(".file 1 \"{}\"\n", source.display()), ".loc 1 3 5\n"),
        None => (String::new(), ""),
    };
    format!(
        "//@ launch: clash<<<{blocks}, 1>>>(out: u32[4])\n\
         .version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry clash(.param .u64 out)\n{{\n\
         .reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n{place}\
         ld.param.u64 %rd1, [out];\nmov.u32 %r1, %ctaid.x;\nst.global.u32 [%rd1+4], %r1;\nret;\n}}\n\
         {file}"
    )
}

/// A folder with a racy file and its source, and a clean one.
struct Sample {
    folder: PathBuf,
    racy: PathBuf,
    clean: PathBuf,
    source: PathBuf,
}

fn sample() -> Sample {
    let folder = fresh_folder(&format!("reports-{}", unique_number()));
    let [racy, clean, source] = ["racy.ptx", "clean.ptx", "clash.cu"].map(|name| folder.join(name));
    write(&source, SOURCE);
    write(&racy, &kernel(2, Some(&source)));
    write(&clean, &kernel(1, Some(&source)));
    Sample { folder, racy, clean, source }
}

impl Sample {
    fn suppressions(&self, text: &str) -> PathBuf {
        let path = self.folder.join(format!("known-{}.supp", unique_number()));
        write(&path, text);
        path
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file can be written");
}

fn check(flags: &[&str], files: &[&Path]) -> Ended {
    run(warpsan(["check"]).args(flags).args(files))
}

fn text(ended: &Ended) -> String {
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

fn json(ended: &Ended) -> Value {
    serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

#[test]
fn text_says_who_where_and_how_to_see_it_again() {
    let sample = sample();
    let ended = check(&["--seed", "9"], &[&sample.racy]);
    has(
        &text(ended.expect_code(1)),
        &[
            "clash.cu:3:5",
            "*out = blockIdx.x;",
            "of block (1, 0, 0)",
            "both access `out` + 4 bytes: element 1 of 4 bytes",
            "to see it again: warpsan check --seed 9 ",
            "1 race found; everything was checked",
        ],
    );
}

#[test]
fn suppressed_races_are_counted_and_do_not_change_the_exit_code() {
    let sample = sample();
    let known = sample.suppressions("# looked at\nrace: file:clash.cu line:3 kernel:cl?sh\n");
    let flags = ["--suppressions", &known.to_string_lossy()];
    let output = text(check(&flags, &[&sample.racy]).expect_code(0));
    has(&output, &["no races found", "1 race was suppressed"]);
    assert!(!output.contains("was not used") && !output.contains("error["), "{output}");

    let report =
        json(check(&[&flags[..], &["--format", "json"]].concat(), &[&sample.racy]).expect_code(0));
    assert_eq!(report["races"].as_array().map(Vec::len), Some(0));
    assert_eq!(report["suppressed"][0]["race"]["kernel"], "clash");
    let used = &report["summary"]["suppressions"][0];
    assert_eq!((used["line"].as_u64(), used["races"].as_u64()), (Some(2), Some(1)));
}

#[test]
fn unused_suppressions_are_reported_and_change_nothing() {
    let sample = sample();
    let one = sample.suppressions("race: kernel:clash kind:scope\n");
    let other = sample.suppressions("race: line:4\n");
    let flags =
        ["--suppressions", &one.to_string_lossy(), "--suppressions", &other.to_string_lossy()];
    for (file, code) in [(&sample.racy, 1), (&sample.clean, 0)] {
        let output = text(check(&flags, &[file]).expect_code(code));
        let lines = [&one, &other].map(|file| format!("{}:1 was not used", file.display()));
        has(&output, &[&lines[0], &lines[1]]);
    }
}

#[test]
fn a_suppression_that_one_of_several_files_uses_is_used() {
    let sample = sample();
    let known = sample.suppressions("race: kernel:clash\nrace: kernel:idle\n");
    let flags = ["--suppressions", &known.to_string_lossy()];
    let output = text(check(&flags, &[&sample.racy, &sample.clean]).expect_code(0));
    assert_eq!(output.matches("was not used").count(), 1, "{output}");
    has(&output, &["was not used: race: kernel:idle"]);
    let output = text(check(&flags, &[&sample.clean, &sample.clean]).expect_code(0));
    assert_eq!(output.matches("was not used").count(), 2, "{output}");
}

#[test]
fn broken_suppressions_are_refused_before_anything_runs() {
    let sample = sample();
    let mark = sample.folder.join("it-ran");
    for (line, says) in [
        ("rice: kernel:a", "does not begin with `race:`"),
        ("race: thread:3", "the fields are: kernel, function, file, line, kind"),
        ("race: kind:bad", "the kinds are: missing-sync"),
        ("race: line:x", "`x` is no line number"),
        ("race:", "names no field"),
    ] {
        let broken = sample.suppressions(&format!("race: kernel:fine\n{line}\n"));
        let place = format!("{}:2: ", broken.display());
        let ended =
            run(warpsan(["run", "--suppressions"]).arg(&broken).args(["--", "touch"]).arg(&mark));
        ended.expect_code(2).expect_stderr(&[&place, says]);
        assert!(!mark.exists());
        let flags = ["--suppressions", &broken.to_string_lossy()];
        check(&flags, &[&sample.racy]).expect_code(2).expect_stderr(&[&place, says]);
    }
    let missing = sample.folder.join("missing.supp");
    for file in [&missing, &sample.folder] {
        let flags = ["--suppressions", &file.to_string_lossy()];
        let ended = check(&flags, &[&sample.racy]);
        ended.expect_code(2).expect_stderr(&["cannot read it", &file.to_string_lossy()]);
    }
}

#[test]
fn sarif_has_the_races_of_all_files_in_one_run() {
    let sample = sample();
    let log = json(check(&["--format", "sarif"], &[&sample.racy, &sample.clean]).expect_code(1));
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(1));
    let run = &log["runs"][0];
    assert_eq!(run["invocations"].as_array().map(Vec::len), Some(2));
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "missing-sync");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 3);
    let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
    assert!(uri.ends_with("/clash.cu"), "{uri}");
}

#[test]
fn paths_below_the_current_folder_are_relative_in_sarif_and_for_github() {
    let sample = sample();
    let in_folder = |format: &str, workspace: &Path| {
        let mut command = warpsan(["check", "--format", format, "racy.ptx"]);
        run(command.current_dir(&sample.folder).env("GITHUB_WORKSPACE", workspace))
    };
    let log = json(in_folder("sarif", &sample.folder).expect_code(1));
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "clash.cu");
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    let output = text(in_folder("github", &sample.folder).expect_code(1));
    assert!(output.starts_with("::error file=clash.cu,line=3,col=5,title="), "{output}");
    let parent = sample.folder.parent().expect("a folder has one");
    let output = text(in_folder("github", parent).expect_code(1));
    let name = sample.folder.file_name().expect("a name").to_string_lossy();
    assert!(output.starts_with(&format!("::error file={name}/clash.cu,line=3,")), "{output}");
}

#[test]
fn junit_has_a_suite_for_each_file_and_fails_for_errors() {
    let sample = sample();
    let file = sample.folder.join("report.xml");
    let flags = ["--format", "junit", "--output", &file.to_string_lossy()];
    let ended = check(&flags, &[&sample.racy, &sample.clean]);
    assert!(ended.expect_code(1).stdout.is_empty(), "{ended:?}");
    let xml = std::fs::read_to_string(&file).expect("a report");
    let suite = |path: &Path| format!("<testsuite name=\"{}\" tests=\"1\"", path.display());
    has(&xml, &[&suite(&sample.racy), &suite(&sample.clean), "type=\"missing-sync\""]);
    has(&xml, &["tests=\"2\" skipped=\"0\" failures=\"1\" errors=\"0\""]);
    check(&flags, &[&sample.clean]).expect_code(0);
    let xml = std::fs::read_to_string(&file).expect("a report");
    has(&xml, &[&suite(&sample.clean)]);
    has(&xml, &["tests=\"1\" skipped=\"0\" failures=\"0\" errors=\"0\""]);
}

#[test]
fn what_was_not_checked_is_in_every_form() {
    let sample = sample();
    let endless = sample.folder.join("endless.ptx");
    let text_of_it = kernel(1, None).replace("ret;", "again:\nbra again;");
    write(&endless, &text_of_it);
    for (format, says) in [
        ("text", "not checked: "),
        ("json", "\"not_covered\": [\n    {"),
        ("sarif", "not checked: "),
        ("junit", "<error message="),
        ("github", "::warning title=warpsan%3A not checked::"),
    ] {
        let flags = ["--max-instructions", "5000", "--format", format];
        has(&text(check(&flags, &[&endless]).expect_code(3)), &[says, "5000 warp instructions"]);
    }
}

#[test]
fn the_forms_for_programs_are_not_spoilt_by_what_is_printed() {
    let sample = sample();
    for format in ["json", "sarif", "junit", "github"] {
        let ended = check(&["--print", "out", "--format", format], &[&sample.clean]);
        let output = text(ended.expect_code(0));
        assert!(!output.contains("after launch"), "{output}");
        ended.expect_stderr(&["out: u32[4] after launch"]);
    }
}

#[test]
fn missing_line_information_is_stated_and_the_verdict_stays() {
    let sample = sample();
    write(&sample.racy, &kernel(2, None));
    let output = text(check(&[], &[&sample.racy]).expect_code(1));
    has(&output, &["kernel `clash` has no line information", "-lineinfo", "st.global.u32"]);
    assert_eq!(output.matches("-lineinfo").count(), 1, "{output}");
}

#[test]
fn a_source_that_cannot_be_read_is_named_once_and_the_verdict_stays() {
    let sample = sample();
    let name = sample.source.display().to_string();
    for (change, says) in [("gone", "cannot be read"), ("shorter", "must have changed since")] {
        match change {
            "gone" => std::fs::remove_file(&sample.source).expect("it can be removed"),
            _ => write(&sample.source, "// one line\n"),
        }
        let output = text(check(&[], &[&sample.racy]).expect_code(1));
        has(&output, &["clash.cu are not shown: ", says, "clash.cu:3:5"]);
        assert_eq!(output.matches("are not shown").count(), 1, "{output}");
        let report = json(check(&["--format", "json"], &[&sample.racy]).expect_code(1));
        assert_eq!(report["summary"]["unreadable_sources"][0]["file"], name.as_str());
        assert_eq!(report["races"][0]["first"]["source_line"], Value::Null);
    }
}
