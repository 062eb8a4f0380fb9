//! What there is to say about a file, as plain data: written as JSON as it is, and as text by `text`.

use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use warpsan_fatbin::{Architecture, Choice, FatFile, Image, ImageKind, choose, machine_functions};
use warpsan_ir::display_name;
use warpsan_ptx::{Document, Instructions, LineIndex};

#[derive(Debug, Serialize)]
pub(super) struct FileListing {
    schema: u32,
    file: String,
    format: String,
    containers: usize,
    images: Vec<ImageListing>,
    /// What is broken in the file.
    faults: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<ChoiceListing>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// What is chosen of one container.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ChoiceListing {
    ptx_image: Option<usize>,
    machine_code_image: Option<usize>,
    pub(super) warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct ImageListing {
    image: usize,
    kind: String,
    architecture: String,
    version: String,
    compression: String,
    stored_bytes: u64,
    bytes: u64,
    offset: u64,
    container: usize,
    place: String,
    member: Option<String>,
    sources: String,
    options: String,
    debug: bool,
    relocatable: bool,
    /// What `cuobjdump` would call the extracted file.
    extracted_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) functions: Option<Vec<FunctionListing>>,
    /// Instructions that warpsan has not in its table. They are kept as they are.
    pub(super) unknown_instructions: Vec<UnknownListing>,
    pub(super) errors: Vec<ErrorListing>,
}

#[derive(Debug, Serialize)]
pub(super) struct FunctionListing {
    pub(super) kind: FunctionKind,
    pub(super) name: String,
    pub(super) mangled: String,
    /// Of PTX.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instructions: Option<usize>,
    /// Of machine code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code_bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FunctionKind {
    Kernel,
    Function,
    /// Only declared; its code is elsewhere.
    Declaration,
}

#[derive(Debug, Serialize)]
pub(super) struct UnknownListing {
    pub(super) instruction: String,
    /// Where it is first.
    pub(super) line: u32,
    pub(super) count: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct ErrorListing {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    pub(super) message: String,
}

impl ChoiceListing {
    pub(super) fn new(
        choice: &Choice<'_, '_>,
        number: impl Fn(&Image<'_>) -> usize,
    ) -> ChoiceListing {
        ChoiceListing {
            ptx_image: choice.ptx.map(&number),
            machine_code_image: choice.machine_code.map(&number),
            warnings: choice.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

impl FileListing {
    pub(super) fn new(
        path: &Path,
        file: &FatFile<'_>,
        images: Vec<ImageListing>,
        choices: Option<Vec<ChoiceListing>>,
    ) -> FileListing {
        FileListing {
            schema: 1,
            file: path.display().to_string(),
            format: file.format.to_string(),
            containers: file.container_count(),
            images,
            faults: file.faults.iter().map(ToString::to_string).collect(),
            choices,
            advice: advice(file.images.iter()),
        }
    }
}

/// How to get PTX, for a file that has code but no PTX.
pub(super) fn advice<'i, 'd: 'i>(
    images: impl Iterator<Item = &'i Image<'d>> + Clone,
) -> Option<String> {
    let newest = images.clone().map(|image| image.architecture.number).max()?;
    let has_ptx = images.clone().any(|image| image.kind == ImageKind::Ptx);
    let choice = choose(images, Architecture::plain(newest));
    if has_ptx { None } else { choice.warnings.first().map(ToString::to_string) }
}

/// An image that was read, with its tree if it is PTX.
pub(super) struct ReadImage {
    pub(super) listing: ImageListing,
    pub(super) document: Option<Document>,
}

impl ImageListing {
    /// What the header of an image says.
    pub(super) fn of_header(number: usize, image: &Image<'_>, path: &Path) -> ImageListing {
        let (major, minor) = image.version;
        ImageListing {
            image: number,
            kind: image.kind.to_string(),
            architecture: image.architecture.to_string(),
            version: format!("{major}.{minor}"),
            compression: image.compression.to_string(),
            stored_bytes: image.stored_size,
            bytes: image.size,
            offset: image.offset(),
            container: image.container + 1,
            place: image.place.to_string(),
            member: image.member.map(ToString::to_string),
            sources: image.name.to_string(),
            options: image.options.to_string(),
            debug: image.debug,
            relocatable: image.is_relocatable(),
            extracted_name: image.extracted_name(path),
            functions: None,
            unknown_instructions: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// An image with its functions.
    pub(super) fn read(number: usize, image: &Image<'_>, path: &Path) -> ReadImage {
        let mut listing = ImageListing::of_header(number, image, path);
        let mut document = None;
        match image.kind {
            ImageKind::Ptx => match image.text() {
                Ok(text) => {
                    let parsed = Document::parse(text.into_owned());
                    listing.add_tree(&parsed);
                    document = Some(parsed);
                }
                Err(error) => listing.add_error(error.to_string()),
            },
            ImageKind::Elf => match image.bytes().and_then(|bytes| machine_functions(&bytes)) {
                Ok(functions) => {
                    listing.functions = Some(
                        functions
                            .into_iter()
                            .map(|function| FunctionListing {
                                kind: match function.is_kernel {
                                    true => FunctionKind::Kernel,
                                    false => FunctionKind::Function,
                                },
                                name: machine_display_name(&function.name),
                                mangled: function.name,
                                instructions: None,
                                code_bytes: Some(function.size),
                            })
                            .collect(),
                    );
                }
                Err(error) => listing.add_error(error.to_string()),
            },
            ImageKind::LtoIr | ImageKind::Other(_) => {}
        }
        ReadImage { listing, document }
    }

    pub(super) fn number(&self) -> usize {
        self.image
    }

    fn add_error(&mut self, message: String) {
        self.errors.push(ErrorListing { line: None, message });
    }

    fn add_tree(&mut self, document: &Document) {
        let text = document.text();
        let lines = LineIndex::new(text);
        let module = document.module();
        let defined: HashSet<&str> = module
            .functions()
            .filter(|function| function.body.is_some())
            .map(|function| function.name)
            .collect();
        // A declaration of what the module defines itself says nothing new.
        let listed = module
            .functions()
            .filter(|function| function.body.is_some() || !defined.contains(function.name));
        let functions = listed.map(|function| FunctionListing {
            kind: match (function.body, function.is_kernel) {
                (None, _) => FunctionKind::Declaration,
                (Some(_), true) => FunctionKind::Kernel,
                (Some(_), false) => FunctionKind::Function,
            },
            name: display_name(function.name),
            mangled: function.name.to_string(),
            instructions: function.body.map(|body| Instructions::of(body).count()),
            code_bytes: None,
        });
        self.functions = Some(functions.collect());
        let mut places: HashMap<&str, usize> = HashMap::new();
        for instruction in document.unknown() {
            let unknown = &mut self.unknown_instructions;
            let place = *places.entry(instruction.mnemonic.text).or_insert(unknown.len());
            match unknown.get_mut(place) {
                Some(known) => known.count += 1,
                None => unknown.push(UnknownListing {
                    instruction: instruction.mnemonic.text.to_string(),
                    line: lines.line(instruction.span.start),
                    count: 1,
                }),
            }
        }
        self.errors = document
            .errors()
            .iter()
            .map(|error| ErrorListing {
                line: Some(lines.line(error.span.start)),
                message: error.message(text),
            })
            .collect();
    }
}

/// Machine code has functions that belong to one kernel, called `$kernel$function`.
fn machine_display_name(symbol: &str) -> String {
    match symbol.strip_prefix('$').and_then(|rest| rest.split_once('$')) {
        Some((kernel, function)) => {
            format!("{} (of {})", display_name(function), display_name(kernel))
        }
        None => display_name(symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_kernel_are_named_with_it() {
        assert_eq!(machine_display_name("_Z4fillIiEvPT_"), "fill<int>");
        assert_eq!(machine_display_name("$second$_Z5twicei"), "twice (of second)");
    }

    #[test]
    fn functions_and_unknown_instructions_of_ptx_are_counted() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n\
                    .extern .func (.param .b32 r) vprintf(.param .b64 a);\n\
                    .func helper();\n.func helper()\n{\n\tret;\n}\n\
                    .visible .entry _Z1kv()\n{\n\tfrobnicate.x %r1;\n\tfrobnicate.x %r2;\n\tret;\n}\n";
        let file = FatFile::open(text.as_bytes()).unwrap();
        let read = ImageListing::read(1, &file.images[0], "a.ptx".as_ref());
        let functions: Vec<_> = read
            .listing
            .functions
            .iter()
            .flatten()
            .map(|function| (function.kind, function.name.as_str(), function.instructions))
            .collect();
        assert_eq!(
            functions,
            [
                (FunctionKind::Declaration, "vprintf", None),
                (FunctionKind::Function, "helper", Some(1)),
                (FunctionKind::Kernel, "k", Some(3)),
            ]
        );
        let [unknown] = read.listing.unknown_instructions.as_slice() else { panic!("one") };
        assert_eq!(
            (unknown.instruction.as_str(), unknown.line, unknown.count),
            ("frobnicate.x", 12, 2)
        );
    }
}
