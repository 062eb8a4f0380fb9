//! `warpsan ptx FILE`: which CUDA code a file carries, and its PTX.

pub(crate) mod errors;
mod file;
mod listing;
mod text;

use anyhow::{Context, bail};
use listing::{ChoiceListing, FileListing, ImageListing};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use warpsan_fatbin::{Architecture, FatFile, Image, ImageKind};
use warpsan_ptx::Document;

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
pub(crate) struct Args {
    /// An executable, a shared or static library, an object file, a .fatbin, a .cubin or PTX text
    file: PathBuf,

    /// Print the PTX exactly as it is stored
    #[arg(long)]
    print: bool,

    /// Print the PTX as warpsan understands it: read, and written again
    #[arg(long, conflicts_with = "print")]
    reprint: bool,

    /// Only this image, by its number in the list
    #[arg(long, value_name = "N")]
    image: Option<usize>,

    /// Only the PTX that would be used on this architecture, chosen as the driver chooses
    #[arg(long, value_name = "ARCH", conflicts_with = "image")]
    arch: Option<Architecture>,

    /// Only the list of images: nothing is decompressed, which is quick for large libraries
    #[arg(long, conflicts_with_all = ["print", "reprint"])]
    no_kernels: bool,

    /// The form of the list
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with_all = ["print", "reprint"])]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

const EXPLANATION: &str = "\
Every image in the file gets a line: what it is, for which architecture, and how it is stored. After
that come the kernels and functions of each, and the instructions that warpsan does not know. PTX that
cannot be read is shown with its place.

Examples:
  warpsan ptx ./app                         what there is
  warpsan ptx --print ./app                 all PTX, as `cuobjdump -all -xptx all` extracts it
  warpsan ptx --print --arch sm_90 ./app    the PTX that an H200 would get
  warpsan ptx --print --image 3 ./app       one image of several

A program without PTX was compiled for some architectures only, as with
  -gencode arch=compute_90,code=sm_90
To add PTX, compile with -arch=sm_90, or add
  -gencode arch=compute_90,code=compute_90

Exit codes: 0 if all could be read, 2 if not.";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let shown = args.file.display();
    let bytes = file::open(&args.file).with_context(|| format!("cannot read {shown}"))?;
    let is_text = args.file.extension().is_some_and(|extension| extension == "ptx");
    let file = match is_text {
        true => FatFile::of_ptx_text(&bytes),
        false => FatFile::open(&bytes).with_context(|| format!("cannot read {shown}"))?,
    };
    let done = show(args, &file);
    match done {
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error),
        Ok(Outcome::AllRead) => Ok(ExitCode::SUCCESS),
        Ok(Outcome::SomeBroken) => Ok(ExitCode::from(crate::exit::FAILURE)),
    }
}

/// Whether all that was asked for could be read. What could not has been named by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    AllRead,
    SomeBroken,
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

fn show(args: &Args, file: &FatFile<'_>) -> anyhow::Result<Outcome> {
    let mut errors = std::io::stderr();
    for fault in &file.faults {
        writeln!(errors, "warpsan: error: {}: {fault}", args.file.display())?;
    }
    let selection = Selection::new(args, file)?;
    if args.format == Format::Text {
        for warning in selection.warnings() {
            writeln!(errors, "warpsan: warning: {}: {warning}", args.file.display())?;
        }
    }
    let shown = match (args.print || args.reprint, args.format) {
        (true, _) => print(args, &selection),
        (false, Format::Text) => list_as_text(args, file, &selection),
        (false, Format::Json) => list_as_json(args, file, &selection),
    }?;
    Ok(if file.faults.is_empty() { shown } else { Outcome::SomeBroken })
}

/// The images that were asked for, each with its number in the whole file, from 1.
struct Selection<'f, 'd> {
    images: Vec<(usize, &'f Image<'d>)>,
    choices: Option<Vec<ChoiceListing>>,
}

impl<'f, 'd> Selection<'f, 'd> {
    fn new(args: &Args, file: &'f FatFile<'d>) -> anyhow::Result<Selection<'f, 'd>> {
        let all: Vec<_> = (1..).zip(&file.images).collect();
        let number = |image: &Image<'_>| {
            let same = |(_, other): &&(usize, &Image<'_>)| std::ptr::eq(image, *other);
            all.iter().find(same).map_or(0, |(number, _)| *number)
        };
        if let Some(device) = args.arch {
            let choices = file.choose(device);
            let images = choices.iter().filter_map(|choice| choice.ptx);
            return Ok(Selection {
                images: images.map(|image| (number(image), image)).collect(),
                choices: Some(choices.iter().map(|c| ChoiceListing::new(c, number)).collect()),
            });
        }
        let images = match args.image {
            None => all,
            Some(wanted) => match all.iter().find(|(number, _)| *number == wanted) {
                Some(found) => vec![*found],
                None => bail!(
                    "{} has no image {wanted}; it has {}",
                    args.file.display(),
                    text::count(file.images.len(), "image")
                ),
            },
        };
        Ok(Selection { images, choices: None })
    }

    fn warnings(&self) -> impl Iterator<Item = &String> {
        let mut known = std::collections::HashSet::new();
        self.choices
            .iter()
            .flatten()
            .flat_map(|choice| &choice.warnings)
            .filter(move |warning| known.insert(*warning))
    }
}

/// Writes the PTX of the selected images.
fn print(args: &Args, selection: &Selection<'_, '_>) -> anyhow::Result<Outcome> {
    let shown = args.file.display();
    if let [(number, image)] = selection.images.as_slice()
        && image.kind != ImageKind::Ptx
    {
        bail!("image {number} of {shown} is {}; only PTX can be printed", image.kind.in_words());
    }
    let texts: Vec<_> =
        selection.images.iter().filter(|(_, image)| image.kind == ImageKind::Ptx).collect();
    if texts.is_empty() {
        let hint = listing::advice(selection.images.iter().map(|(_, image)| *image));
        bail!("{shown} has no PTX to print{}", hint.map_or(String::new(), |h| format!(": {h}")));
    }
    let mut out = std::io::stdout().lock();
    let mut outcome = Outcome::AllRead;
    for (number, image) in &texts {
        let text = match image.text() {
            Ok(text) => text,
            Err(error) => {
                writeln!(std::io::stderr(), "warpsan: error: {shown}, image {number}: {error}")?;
                outcome = Outcome::SomeBroken;
                continue;
            }
        };
        let text = if args.reprint {
            let document = Document::parse(text.into_owned());
            if !document.errors().is_empty() {
                errors::show(&origin(args, *number, image), &document)?;
                outcome = Outcome::SomeBroken;
                continue;
            }
            warpsan_ptx::print(&document.module()).into()
        } else {
            text
        };
        if texts.len() > 1 {
            writeln!(out, "// image {number}: {}", text::heading(image))?;
        }
        out.write_all(text.as_bytes())?;
        if texts.len() > 1 && !text.ends_with('\n') {
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(outcome)
}

fn list_as_text(
    args: &Args,
    file: &FatFile<'_>,
    selection: &Selection<'_, '_>,
) -> anyhow::Result<Outcome> {
    let mut out = std::io::stdout().lock();
    text::write_table(&mut out, &args.file, file, &selection.images)?;
    let mut outcome = Outcome::AllRead;
    if !args.no_kernels {
        for (number, image) in &selection.images {
            let read = ImageListing::read(*number, image, &args.file);
            text::write_functions(&mut out, image, &read.listing)?;
            out.flush()?;
            if report(args, *number, image, &read)? == Outcome::SomeBroken {
                outcome = Outcome::SomeBroken;
            }
        }
    }
    if let Some(advice) = listing::advice(file.images.iter()) {
        writeln!(std::io::stderr(), "warpsan: note: {}: {advice}", args.file.display())?;
    }
    Ok(outcome)
}

fn list_as_json(
    args: &Args,
    file: &FatFile<'_>,
    selection: &Selection<'_, '_>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::AllRead;
    let mut images = Vec::new();
    for (number, image) in &selection.images {
        images.push(match args.no_kernels {
            true => ImageListing::of_header(*number, image, &args.file),
            false => {
                let listing = ImageListing::read(*number, image, &args.file).listing;
                if !listing.errors.is_empty() {
                    outcome = Outcome::SomeBroken;
                }
                listing
            }
        });
    }
    let listing = FileListing::new(&args.file, file, images, selection.choices.clone());
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &listing).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(outcome)
}

/// Shows what is wrong with an image, if anything is.
fn report(
    args: &Args,
    number: usize,
    image: &Image<'_>,
    read: &listing::ReadImage,
) -> anyhow::Result<Outcome> {
    match (&read.document, read.listing.errors.as_slice()) {
        (_, []) => Ok(Outcome::AllRead),
        (Some(document), _) => {
            errors::show(&origin(args, number, image), document)?;
            Ok(Outcome::SomeBroken)
        }
        (None, [error, ..]) => {
            let shown = args.file.display();
            writeln!(
                std::io::stderr(),
                "warpsan: error: {shown}, image {number}: {}",
                error.message
            )?;
            Ok(Outcome::SomeBroken)
        }
    }
}

/// How the place of an error is called.
fn origin(args: &Args, number: usize, image: &Image<'_>) -> String {
    match image.place {
        warpsan_fatbin::Place::Text if image.member.is_none() => args.file.display().to_string(),
        _ => format!("{}, image {number}", args.file.display()),
    }
}
