//! `ld-tables`: tables I and VI of the LD paper, and what `ld` reports beside `hb`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;
use warpsan_model::Rounds;
use warpsan_suite::{Answer, Case, Settings, answer_of_whole, answers_of, read_cases, report_of};

use super::{Common, cores, table, warpsan};

/// The programs of tables V and VI.
const PROGRAMS: &str = "suites/ld";
/// Suites whose programs are compared with `hb`, each with a detector that it has expectations for.
const SUITES: [(&str, &str); 5] = [
    (PROGRAMS, "ld"),
    ("suites/hb", "hb"),
    ("suites/bugs", "curd"),
    ("suites/iguard", "iguard"),
    ("suites/scor/micro", "scord"),
];
/// Races that `ld` does not see, each with its class.
const UNSEEN: &str = "suites/ld/unseen.txt";
/// All units of table I.
const WARPS: u64 = 960;
/// The rows of table I: copies and passes.
const TABLE_I: [(u64, u32); 10] =
    [(960, 2), (31, 4), (10, 6), (6, 8), (4, 10), (2, 20), (2, 10), (2, 8), (2, 6), (2, 4)];

/// Print tables I and VI of the LD paper, and compare what `ld` reports with `hb` on all programs of the suites that have no
/// other synchronisation than barriers: what it misses has to be listed with its class in `suites/ld/unseen.txt`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How much the programs of table VI have to do: `small`, or `paper` for the sizes of table V
    #[arg(long, value_name = "NAME", default_value = "small")]
    size: String,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// True if nothing is missed but what is listed, and nothing is made up.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    common.toolchain()?;
    let command = warpsan(args.warpsan.as_deref())?;
    print_table_i();
    print_table_vi(args, common, &command)?;
    compare_with_hb(common, &command)
}

fn print_table_i() {
    let rows: Vec<Vec<String>> = TABLE_I
        .iter()
        .map(|&(copies, passes)| {
            let rounds = Rounds::new(WARPS, copies);
            let percent = |part: f64| format!("{:.3} %", part * 100.0);
            vec![
                WARPS.to_string(),
                passes.to_string(),
                format!("{copies}×"),
                percent(rounds.compared(passes / 2)),
                percent(rounds.by_equation(passes / 2)),
            ]
        })
        .collect();
    println!(
        "Table I: pairs of warps that are compared, by looking at each pair, and by equation 1."
    );
    table::print(&["warps", "passes", "copies", "enumerated", "equation 1"], &rows);
}

fn print_table_vi(args: &Args, common: &Common, warpsan: &Path) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for case in read_cases(&common.root().join(PROGRAMS), "ld")? {
        if !common.takes(&case.name()) {
            continue;
        }
        eprintln!("{}", case.name());
        rows.push(row_of_table_vi(args, warpsan, &case).with_context(|| case.name())?);
    }
    println!(
        "\nTable VI, size {}; one launch stops at its first race, as in the paper.",
        args.size
    );
    let header = [
        "program",
        "race?",
        "type",
        "scope",
        "#wps",
        "#ana, #race",
        "#mem",
        "copies",
        "target B",
        "copies × target B",
        "held B",
    ];
    table::print(&header, &rows);
    Ok(())
}

fn row_of_table_vi(args: &Args, warpsan: &Path, case: &Case) -> anyhow::Result<Vec<String>> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let file = folder.path().join("report.json");
    let mut command = Command::new(warpsan);
    command.args(["run", "--quiet", "--stats", "--detector", "ld", "--format", "json"]);
    command.arg("--output").arg(&file).arg("--").arg(&case.program.path);
    command.args(["--size", &args.size, "--race", &case.switch.to_string()]);
    let (_, report) = report_of(&mut command, &file)?;
    let races = report["races"].as_array().context("a list of races")?;
    let types: BTreeSet<&str> = races.iter().map(type_of).collect();
    let scopes: BTreeSet<&str> =
        races.iter().filter_map(|race| race["location"]["space"].as_str()).collect();
    let list = |words: BTreeSet<&str>| match words.is_empty() {
        true => "-".to_owned(),
        false => words.into_iter().collect::<Vec<_>>().join(","),
    };
    let counted = |name: &str| {
        let all = report["summary"]["statistics"].as_array();
        let found = all.and_then(|all| all.iter().find(|one| one["name"] == name));
        found.and_then(|one| one["value"].as_u64()).unwrap_or_default()
    };
    let held = counted("bytes that copies held at most");
    let allowed = counted("bytes of copies: copies × target variables");
    anyhow::ensure!(held <= allowed.max(64), "copies hold {held} bytes, and {allowed} are allowed");
    Ok(vec![
        case.name(),
        if races.is_empty() { "no" } else { "yes" }.to_owned(),
        list(types),
        list(scopes),
        counted("warps in races").to_string(),
        format!("{}, {}", counted("regions analysed"), counted("regions with races")),
        counted("bytes in races").to_string(),
        counted("private copies, of the launch with the largest").to_string(),
        counted("bytes of target variables").to_string(),
        allowed.to_string(),
        held.to_string(),
    ])
}

fn type_of(race: &Value) -> &'static str {
    let writes = |side: &str| race[side]["access"] != "read";
    if writes("first") && writes("second") { "ww" } else { "rw" }
}

/// Two lines that race.
type Lines = (u64, u64);

/// What a program has beside `hb`.
#[derive(Default)]
struct Compared {
    /// The lines of `hb` that `ld` does not report, and whether they are of one warp.
    missed: BTreeMap<Lines, bool>,
    made_up: BTreeSet<Lines>,
    found: usize,
}

fn compare_with_hb(common: &Common, warpsan: &Path) -> anyhow::Result<bool> {
    let unseen = read_unseen(&common.root().join(UNSEEN))?;
    let (mut used, mut is_right) = (BTreeSet::new(), true);
    let (mut rows, mut classes) = (Vec::new(), BTreeMap::<String, usize>::new());
    for (folder, expectations) in SUITES {
        let mut cases = read_cases(&common.root().join(folder), expectations)?;
        cases.retain(|case| common.takes(&case.name()));
        let mut counts = [0usize; 5];
        for (case, compared) in compare_suite(common, warpsan, &cases)? {
            let Some(compared) = compared else {
                counts[1] += 1;
                continue;
            };
            counts[0] += 1;
            counts[2] += compared.found;
            let name = format!("{folder}/{}", case.name());
            for (lines, is_within_a_warp) in compared.missed {
                let key = (name.clone(), lines);
                let class = match unseen.get(&key) {
                    Some(class) => class.clone(),
                    None if is_within_a_warp => "lanes of a warp".to_owned(),
                    None => {
                        println!("MISSED {name}: lines {} and {}", lines.0, lines.1);
                        is_right = false;
                        continue;
                    }
                };
                used.insert(key);
                counts[3] += 1;
                *classes.entry(class).or_default() += 1;
            }
            for lines in compared.made_up {
                println!("MADE UP {name}: lines {} and {}", lines.0, lines.1);
                counts[4] += 1;
                is_right = false;
            }
        }
        let mut row = vec![folder.to_owned()];
        row.extend(counts.map(|count| count.to_string()));
        rows.push(row);
    }
    println!("\nBeside hb, on programs with barriers alone: pairs of lines.");
    table::print(&["suite", "programs", "refused", "found", "unseen", "made up"], &rows);
    println!("\nUnseen, by class:");
    for (class, count) in &classes {
        println!("  {count:>4}  {class}");
    }
    let all_used = unseen.keys().filter(|key| !used.contains(*key) && common.takes(&key.0));
    for (name, lines) in all_used {
        println!("SEEN, though {UNSEEN} lists it: {name}, lines {} and {}", lines.0, lines.1);
        is_right = false;
    }
    Ok(is_right)
}

/// The list of what is not seen: a program, two lines, and the class on each line of the file.
fn read_unseen(file: &Path) -> anyhow::Result<BTreeMap<(String, Lines), String>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut unseen = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let wrong = || format!("`{line}` is not `PROGRAM | LINE LINE | CLASS`");
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [program, lines, class] = parts[..] else { anyhow::bail!(wrong()) };
        let lines = lines.split_once(' ').with_context(wrong)?;
        let lines = (lines.0.parse().with_context(wrong)?, lines.1.parse().with_context(wrong)?);
        unseen.insert((program.to_owned(), lines), class.to_owned());
    }
    Ok(unseen)
}

/// Each case with what came of it; nothing where `ld` refuses the program.
fn compare_suite<'c>(
    common: &Common,
    warpsan: &Path,
    cases: &'c [Case],
) -> anyhow::Result<Vec<(&'c Case, Option<Compared>)>> {
    let settings = |detector: &str, flags: &[&str]| -> anyhow::Result<Settings> {
        Ok(Settings {
            warpsan: warpsan.to_owned(),
            cuda_path: common.cuda_path.clone(),
            detector: detector.to_owned(),
            flags: flags.iter().map(ToString::to_string).collect(),
            jobs: cores()?,
            timeout: Duration::from_secs(120),
        })
    };
    let both = [settings("ld", &["--ld-after-race=go-on"])?, settings("hb", &[])?];
    let answers = both.map(|settings| answers(cases, &settings));
    let [of_ld, of_hb] = answers;
    let mut compared = Vec::new();
    for ((case, ld), hb) in cases.iter().zip(of_ld).zip(of_hb) {
        let hb = lines_of(&hb).with_context(|| format!("hb on {}", case.name()))?;
        let refused = matches!(&ld, Answer::Checked { not_covered, .. } if !not_covered.is_empty());
        if refused {
            compared.push((case, None));
            continue;
        }
        let ld = lines_of(&ld).with_context(|| format!("ld on {}", case.name()))?;
        let missed = hb.iter().filter(|(lines, _)| !ld.contains_key(lines));
        compared.push((
            case,
            Some(Compared {
                missed: missed.map(|(lines, within)| (*lines, *within)).collect(),
                made_up: ld.keys().filter(|lines| !hb.contains_key(lines)).copied().collect(),
                found: hb.keys().filter(|lines| ld.contains_key(lines)).count(),
            }),
        ));
    }
    Ok(compared)
}

fn answers(cases: &[Case], settings: &Settings) -> Vec<Answer> {
    let kernels: Vec<_> =
        cases.iter().filter(|case| !case.is_whole).map(|case| case.program.clone()).collect();
    let mut of_kernels = answers_of(&kernels, 1, settings).into_iter();
    let answer = |case: &Case| match case.is_whole {
        true => answer_of_whole(case, 1, settings),
        false => {
            let none = || Answer::Failure("there is no answer".to_owned());
            of_kernels.next().unwrap_or_else(none)
        }
    };
    cases.iter().map(answer).collect()
}

/// The pairs of lines of a report, and whether both sides are of one warp.
fn lines_of(answer: &Answer) -> anyhow::Result<BTreeMap<Lines, bool>> {
    match answer {
        Answer::Failure(why) => anyhow::bail!("{why}"),
        Answer::Checked { races, .. } => Ok(races
            .iter()
            .filter_map(|race| Some((race.lines()?, race.is_within_a_warp)))
            .collect()),
    }
}
