//! Checks as templates.
//!
//! The device's side of a detector is CUDA C++, compiled to PTX ahead of time. A check is a function without
//! parameters that asks for what it needs with words of our own (`device/template.h`); here its body becomes a list of pieces,
//! which is expanded wherever the check is wanted: registers and labels get names of their own, and our words become
//! moves and loads of what stands there.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;
use warpsan_ptx::{Document, Function, Instruction, Operand, Statement};

/// Checks by name, and the functions that they call.
#[derive(Debug)]
pub struct Library {
    templates: HashMap<String, Template>,
    functions: Vec<CheckFunction>,
}

/// A function that checks call.
#[derive(Debug)]
struct CheckFunction {
    name: String,
    text: String,
    /// Which of the device libraries has it.
    piece: usize,
}

/// A check that can be expanded.
#[derive(Debug)]
pub struct Template {
    pieces: Vec<Piece>,
    /// Functions that it calls.
    calls: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Label(String),
    /// `ws.in.TYPE to, name`
    Input {
        bits: &'static str,
        to: String,
        name: String,
    },
    /// `ws.ctx.TYPE to, offset`
    Context {
        bits: &'static str,
        to: String,
        offset: u32,
    },
    /// `ws.out.TYPE name, from`
    Output {
        bits: &'static str,
        name: String,
        from: String,
    },
    /// `ws.op`: the instruction that is checked.
    Operation,
    Return,
}

/// What a template's words become where it is expanded. Each gives a whole instruction.
pub trait ExpansionPlace {
    /// Brings an input to a register.
    fn input(&self, bits: &str, to: &str, name: &str) -> String;
    /// Brings a field of the launch's context to a register.
    fn context(&self, bits: &str, to: &str, offset: u32) -> String;
    /// The instruction that is checked, with line ends.
    fn operation(&self) -> String;
    /// Takes a result from a register.
    fn output(&self, bits: &str, name: &str, from: &str) -> String;
}

/// What is wrong with the PTX of a device library. It is our own, so this is a bug of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It is no PTX.
    #[error("a device library cannot be read: {0}")]
    Syntax(String),
    /// A `ws.` word that there is not, or with other operands.
    #[error("`{function}` of a device library has `{word}`, which is no word of ours")]
    UnknownWord {
        /// The check.
        function: String,
        /// The instruction.
        word: String,
    },
    /// An instruction that neither PTX nor we have.
    #[error("`{function}` of a device library has `{instruction}`, which is no instruction")]
    UnknownInstruction {
        /// The check.
        function: String,
        /// The instruction.
        instruction: String,
    },
    /// A return that some lanes make: an expansion can only jump to its end with all of them.
    #[error("`{function}` of a device library returns under a guard")]
    GuardedReturn {
        /// The check.
        function: String,
    },
}

impl Library {
    /// Reads the PTX of device libraries into templates. They may have functions in common.
    pub fn of(texts: &[&str]) -> Result<Library, TemplateError> {
        let mut library = Library { templates: HashMap::new(), functions: Vec::new() };
        for (piece, text) in texts.iter().enumerate() {
            let document = Document::parse((*text).to_owned());
            if let Some(error) = document.errors().first() {
                return Err(TemplateError::Syntax(error.message_with_line(document.text())));
            }
            library.add(&document, piece)?;
        }
        Ok(library)
    }

    fn add(&mut self, document: &Document, piece: usize) -> Result<(), TemplateError> {
        let text = document.text();
        let functions: Vec<&Function<'_>> = document.module().functions().collect();
        for (index, function) in functions.iter().enumerate() {
            let Some(statements) = function.body else { continue };
            let head = function.span.range();
            let next = functions.get(index + 1).map_or(text.len(), |next| next.span.range().start);
            // Behind a body there are comments only, up to the next head.
            let body = &text[head.end..next];
            let (Some(open), Some(close)) = (body.find('{'), body.rfind('}')) else { continue };
            let body = head.end + open + 1..head.end + close;
            if function.parameters.is_some_and(<[_]>::is_empty) {
                let template = Template::of(text, function.name, statements, body)?;
                self.templates.insert(function.name.to_owned(), template);
            } else if !self.functions.iter().any(|known| known.name == function.name) {
                let whole = text[head.start..=body.end].trim_start_matches(".visible ");
                let (name, text) = (function.name.to_owned(), whole.to_owned());
                self.functions.push(CheckFunction { name, text, piece });
            }
        }
        Ok(())
    }

    /// The check of this name.
    pub fn get(&self, name: &str) -> Option<&Template> {
        self.templates.get(name)
    }

    /// The names of all checks.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.templates.keys().map(String::as_str)
    }

    /// The text of the functions that these names lead to, in an order in which each is defined before it is called.
    pub fn functions(&self, wanted: &[String]) -> String {
        let mut needed: Vec<bool> =
            self.functions.iter().map(|function| wanted.contains(&function.name)).collect();
        // What is called stands before its caller, since it had to be compiled so.
        for index in (0..self.functions.len()).rev() {
            if !needed[index] {
                continue;
            }
            for (callee, function) in self.functions.iter().enumerate() {
                needed[callee] |= callee != index && self.functions[index].calls(&function.name);
            }
        }
        let mut text = String::new();
        for (function, _) in self.functions.iter().zip(needed).filter(|(_, needed)| *needed) {
            text.push_str(&function.text);
            text.push('\n');
        }
        text
    }

    /// Declares functions that are defined elsewhere.
    pub fn declarations(&self, wanted: &[String]) -> String {
        let functions = self.functions.iter().filter(|function| wanted.contains(&function.name));
        functions.map(CheckFunction::declaration).collect()
    }

    /// The device libraries whose functions these names lead to.
    pub fn pieces(&self, wanted: &[String]) -> Vec<usize> {
        let functions = self.functions.iter().filter(|function| wanted.contains(&function.name));
        let mut pieces: Vec<usize> = functions.map(|function| function.piece).collect();
        pieces.sort_unstable();
        pieces.dedup();
        pieces
    }

    /// The text of all functions of a device library, for who links them.
    pub fn definitions(&self, piece: usize) -> String {
        let own = || self.functions.iter().filter(|function| function.piece == piece);
        own().map(|function| format!(".visible {}\n", function.text)).collect()
    }
}

impl CheckFunction {
    fn calls(&self, other: &str) -> bool {
        self.text.contains(&format!("\n\t{other},"))
    }

    fn declaration(&self) -> String {
        let head = self.text.split('{').next().unwrap_or_default().trim_end();
        format!(".extern {head};\n")
    }
}

impl Template {
    /// Reads the body of a check, which is at a place of the text, into pieces. Statements come from the tree; what lies between
    /// our words is copied as it is written, so that expansions are what the compiler made.
    fn of(
        text: &str,
        function: &str,
        statements: &[Statement<'_>],
        body: Range<usize>,
    ) -> Result<Template, TemplateError> {
        let mut parts = Parts::default();
        parts.collect(text, function, statements)?;
        let Parts { words, mut calls, names } = parts;
        let mut pieces = Vec::new();
        let mut written = body.start;
        for (place, piece) in words {
            names.copy(&text[written..place.start], &mut pieces);
            pieces.push(piece);
            // What ends the statement.
            written = text[place.end..].find(';').map_or(place.end, |at| place.end + at + 1);
        }
        names.copy(&text[written..body.end], &mut pieces);
        if pieces.last() == Some(&Piece::Return) {
            pieces.pop();
        }
        calls.sort();
        calls.dedup();
        Ok(Template { pieces, calls })
    }

    /// The functions that it calls.
    pub fn calls(&self) -> &[String] {
        &self.calls
    }

    /// Writes the check; `number` is one that no other expansion in the function has.
    pub fn expand(&self, number: u32, place: &dyn ExpansionPlace, out: &mut String) {
        out.push_str("\t{\n");
        let mut returns = false;
        for piece in &self.pieces {
            let _ = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    Ok(())
                }
                Piece::Label(label) => write!(out, "$ws_{label}_{number}"),
                Piece::Input { bits, to, name } => {
                    writeln!(out, "\t{}", place.input(bits, to, name))
                }
                Piece::Context { bits, to, offset } => {
                    writeln!(out, "\t{}", place.context(bits, to, *offset))
                }
                Piece::Output { bits, name, from } => {
                    writeln!(out, "\t{}", place.output(bits, name, from))
                }
                Piece::Operation => {
                    out.push_str(&place.operation());
                    Ok(())
                }
                Piece::Return => {
                    returns = true;
                    writeln!(out, "\tbra $ws_end_{number};")
                }
            };
        }
        if returns {
            let _ = writeln!(out, "$ws_end_{number}:");
        }
        out.push_str("\t}\n");
    }
}

/// What of a check's body is not copied as it is.
#[derive(Default)]
struct Parts<'a> {
    /// Our words and returns, with their places in the text, in order.
    words: Vec<(Range<usize>, Piece)>,
    /// Functions that are called.
    calls: Vec<String>,
    names: Names<'a>,
}

impl<'a> Parts<'a> {
    fn collect(
        &mut self,
        text: &str,
        function: &str,
        statements: &[Statement<'a>],
    ) -> Result<(), TemplateError> {
        for statement in statements {
            match statement {
                Statement::Block(block) => self.collect(text, function, block.statements)?,
                Statement::Label(label) => self.names.labels.push(label.name),
                Statement::Registers(declared) => {
                    let names = declared.names.iter().map(|(name, _)| *name);
                    self.names.registers.extend(names.filter(|name| name.starts_with('%')));
                }
                Statement::Instruction(instruction) => {
                    if let Some(piece) = self.piece(text, function, instruction)? {
                        self.words.push((instruction.span.range(), piece));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What an instruction becomes that is not copied.
    fn piece(
        &mut self,
        text: &str,
        function: &str,
        instruction: &Instruction<'_>,
    ) -> Result<Option<Piece>, TemplateError> {
        let function = || function.to_owned();
        let written = || instruction.span.text(text).to_owned();
        match instruction.opcode() {
            "ws" => match word(instruction) {
                Some(piece) => Ok(Some(piece)),
                None => Err(TemplateError::UnknownWord { function: function(), word: written() }),
            },
            _ if instruction.mnemonic.row.is_none() => Err(TemplateError::UnknownInstruction {
                function: function(),
                instruction: written(),
            }),
            "ret" if instruction.guard.is_some() => {
                Err(TemplateError::GuardedReturn { function: function() })
            }
            "ret" => Ok(Some(Piece::Return)),
            "call" => {
                // Results stand in a list in front of the name.
                let callee = instruction.operands.iter().find_map(|operand| match operand {
                    Operand::Name(name) => Some((*name).to_owned()),
                    _ => None,
                });
                self.calls.extend(callee);
                Ok(None)
            }
            _ => Ok(None),
        }
    }
}

/// One of our words; nothing for what is none.
fn word(instruction: &Instruction<'_>) -> Option<Piece> {
    if instruction.guard.is_some() {
        return None;
    }
    let bits = |bits: &str| match bits {
        "b32" => Some("b32"),
        "b64" => Some("b64"),
        _ => None,
    };
    Some(match (instruction.modifiers(), instruction.operands) {
        (["op"], []) => Piece::Operation,
        (["in", width], [Operand::Name(to), Operand::Name(name)]) => {
            Piece::Input { bits: bits(width)?, to: ours(to), name: (*name).to_owned() }
        }
        (["ctx", width], [Operand::Name(to), Operand::Integer(offset)]) => {
            let offset = offset.integer()?.try_into().ok()?;
            Piece::Context { bits: bits(width)?, to: ours(to), offset }
        }
        (["out", width], [Operand::Name(name), Operand::Name(from)]) => {
            Piece::Output { bits: bits(width)?, name: (*name).to_owned(), from: ours(from) }
        }
        _ => return None,
    })
}

/// The names that a check declares.
#[derive(Default)]
struct Names<'a> {
    labels: Vec<&'a str>,
    /// Registers, or what stands in front of their numbers.
    registers: Vec<&'a str>,
}

impl Names<'_> {
    /// Copies a part of the text, without blanks around lines, without comments, and with other names.
    fn copy(&self, part: &str, pieces: &mut Vec<Piece>) {
        let mut text = String::new();
        let lines = part.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
        for line in lines.filter(|line| !line.is_empty()) {
            text.push('\t');
            self.copy_line(line, &mut text, pieces);
            text.push('\n');
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
    }

    /// Appends a line with its registers renamed; labels become pieces of their own.
    fn copy_line(&self, line: &str, text: &mut String, pieces: &mut Vec<Piece>) {
        let mut rest = line;
        while let Some(at) = rest.find(['%', '$']) {
            text.push_str(&rest[..at]);
            let end = rest[at + 1..]
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .map_or(rest.len(), |length| at + 1 + length);
            let name = &rest[at..end];
            if self.labels.contains(&name) {
                pieces.push(Piece::Text(std::mem::take(text)));
                let label = name.trim_start_matches('$');
                pieces.push(Piece::Label(label.strip_prefix("L__").unwrap_or(label).to_owned()));
            } else if self.is_register(name) {
                text.push_str(&ours(name));
            } else {
                text.push_str(name);
            }
            rest = &rest[end..];
        }
        text.push_str(rest);
    }

    /// Special registers are not declared, and keep their names.
    fn is_register(&self, name: &str) -> bool {
        let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
        self.registers.contains(&family) || self.registers.contains(&name)
    }
}

/// A register of the check under a name that no kernel has.
fn ours(register: &str) -> String {
    format!("%ws_{}", register.trim_start_matches('%'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 9.0\n.target sm_90\n.address_size 64
.visible .func helper(
\t.param .b64 helper_param_0
)
{
\tret;

}
\t// .globl\tcheck
.visible .func check()
{
\t.reg .pred \t%p<2>;
\t.reg .b32 \t%r<3>;
\t.reg .b64 \t%rd<3>;

\t// begin inline asm
\tws.in.b64 %rd1, address;
\t// end inline asm
\tsetp.eq.s64 \t%p1, %rd1, 0;
\t@%p1 bra \t$L__BB1_2;
\tmov.u32 %r1, %laneid;
\tws.ctx.b32 %r2, 48;
\tws.out.b64 self, %rd2;
\tret;
$L__BB1_2:
\tcall.uni 
\thelper, 
\t(
\tparam0
\t);
\tret;
}
";

    struct Here;

    impl ExpansionPlace for Here {
        fn input(&self, bits: &str, to: &str, name: &str) -> String {
            format!("mov.{bits} {to}, %{name};")
        }
        fn context(&self, bits: &str, to: &str, offset: u32) -> String {
            format!("ld.param.{bits} {to}, [context+{offset}];")
        }
        fn operation(&self) -> String {
            String::new()
        }
        fn output(&self, bits: &str, name: &str, from: &str) -> String {
            format!("mov.{bits} %{name}, {from};")
        }
    }

    #[test]
    fn a_check_is_taken_apart_and_put_together_again() {
        let library = Library::of(&[TEXT]).expect("words that we know");
        let check = library.get("check").expect("a check");
        let mut out = String::new();
        check.expand(7, &Here, &mut out);
        let wanted = "\t{\n\t.reg .pred \t%ws_p<2>;\n\t.reg .b32 \t%ws_r<3>;\n\t.reg .b64 \t%ws_rd<3>;\n\tmov.b64 %ws_rd1, %address;\n\
            \tsetp.eq.s64 \t%ws_p1, %ws_rd1, 0;\n\t@%ws_p1 bra \t$ws_BB1_2_7;\n\tmov.u32 %ws_r1, %laneid;\n\
            \tld.param.b32 %ws_r2, [context+48];\n\tmov.b64 %self, %ws_rd2;\n\tbra $ws_end_7;\n\
            \t$ws_BB1_2_7:\n\tcall.uni\n\thelper,\n\t(\n\tparam0\n\t);\n$ws_end_7:\n\t}\n";
        assert_eq!(out, wanted);
        assert_eq!(check.calls(), ["helper"]);
        let functions = library.functions(check.calls());
        assert!(functions.starts_with(".func helper("), "{functions}");
    }

    #[test]
    fn what_is_no_word_of_ours_is_an_error() {
        let library = |line: &str| Library::of(&[&TEXT.replace("ws.ctx.b32 %r2, 48", line)]);
        assert!(library("ws.ctx.b32 %r2, 8").is_ok());
        for word in [
            "ws.inn.b32 %r2, site",
            "ws.in.b16 %r2, site",
            "ws.in.b32 %r2",
            "ws.ctx.b32 %r2, site",
            "ws.out.b32 self, 4",
            "ws.op %r2",
            "@%p1 ws.op",
        ] {
            let unknown =
                TemplateError::UnknownWord { function: "check".to_owned(), word: word.to_owned() };
            assert_eq!(library(word).err(), Some(unknown));
        }
        let other = library("wx.in.b32 %r2, site").err();
        assert!(matches!(other, Some(TemplateError::UnknownInstruction { .. })), "{other:?}");
        let guarded = library("@%p1 ret").err();
        assert_eq!(guarded, Some(TemplateError::GuardedReturn { function: "check".to_owned() }));
        assert!(matches!(library("}").err(), Some(TemplateError::Syntax(_))));
    }
}
