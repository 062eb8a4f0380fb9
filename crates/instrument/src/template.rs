//! Checks, taken apart.
//!
//! The device's side of a detector is CUDA C++, compiled to PTX ahead of time. A check is a function without
//! parameters that asks for what it needs with words of our own (`device/template.h`); here its body becomes a list of pieces,
//! which is expanded wherever the check is wanted: registers and labels get names of their own, and our words become
//! moves and loads of what stands there.

use std::collections::HashMap;
use std::fmt::Write;

/// Checks by name, and the functions that they call.
#[derive(Debug)]
pub struct Library {
    templates: HashMap<String, Template>,
    functions: Vec<(String, String)>,
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
pub trait Place {
    /// Brings an input to a register.
    fn input(&self, bits: &str, to: &str, name: &str) -> String;
    /// Brings a field of the launch's context to a register.
    fn context(&self, bits: &str, to: &str, offset: u32) -> String;
    /// The instruction that is checked, with line ends.
    fn operation(&self) -> String;
    /// Takes a result from a register.
    fn output(&self, bits: &str, name: &str, from: &str) -> String;
}

impl Library {
    /// Takes the PTX of a device runtime apart. The text is our own, so what it lacks is a bug of ours.
    pub fn of(text: &str) -> Library {
        let mut library = Library { templates: HashMap::new(), functions: Vec::new() };
        let mut rest = text;
        while let Some(start) = rest.find(".func ") {
            let line = rest[..start].rfind('\n').map_or(0, |at| at + 1);
            let Some(open) = rest[start..].find("\n{").map(|at| start + at + 1) else { break };
            let head = &rest[line..open];
            let Some(close) = rest[open..].find("\n}").map(|at| open + at + 2) else { break };
            if let Some(semicolon) = head.find(';') {
                rest = &rest[line + semicolon + 1..];
                continue;
            }
            let body = &rest[open + 1..close - 1];
            let name = name_of(head);
            if head.trim_end().ends_with("()") {
                library.templates.insert(name, Template::of(body));
            } else {
                let text = rest[line..close].replace(".visible ", "");
                // Libraries are put together of several texts, which may have functions in common.
                if library.functions.iter().any(|(known, _)| *known == name) {
                    rest = &rest[close..];
                    continue;
                }
                library.functions.push((name, text));
            }
            rest = &rest[close..];
        }
        library
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
            self.functions.iter().map(|(name, _)| wanted.contains(name)).collect();
        // What is called stands before its caller, since it had to be compiled so.
        for index in (0..self.functions.len()).rev() {
            if !needed[index] {
                continue;
            }
            for (callee, (name, _)) in self.functions.iter().enumerate() {
                needed[callee] |=
                    callee != index && self.functions[index].1.contains(&format!("\n\t{name},"));
            }
        }
        let mut text = String::new();
        for ((_, function), _) in self.functions.iter().zip(needed).filter(|(_, needed)| *needed) {
            text.push_str(function);
            text.push('\n');
        }
        text
    }
}

fn name_of(head: &str) -> String {
    let behind = head.rsplit_once(".func").map_or(head, |(_, behind)| behind).trim_start();
    // A result stands in parentheses before the name.
    let behind = match behind.strip_prefix('(') {
        Some(result) => result.split_once(')').map_or("", |(_, behind)| behind).trim_start(),
        None => behind,
    };
    behind.split(|c: char| c == '(' || c.is_whitespace()).next().unwrap_or_default().to_owned()
}

impl Template {
    fn of(body: &str) -> Template {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut calls = Vec::new();
        let mut lines = body.lines().peekable();
        while let Some(line) = lines.next() {
            let line = line.split("//").next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let piece = if let Some(words) = line.strip_prefix("ws.") {
                Some(word(words.trim_end_matches(';')))
            } else if line == "ret;" {
                Some(Piece::Return)
            } else {
                None
            };
            if let Some(piece) = piece {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(piece);
                continue;
            }
            if line.starts_with("call") {
                // The callee stands on the next line, in front of its arguments.
                if let Some(callee) = lines.peek() {
                    calls.push(callee.trim().trim_end_matches([',', ';']).trim().to_owned());
                }
            }
            text.push('\t');
            push_renamed(line, &mut text, &mut pieces);
            text.push('\n');
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        if pieces.last() == Some(&Piece::Return) {
            pieces.pop();
        }
        calls.sort();
        calls.dedup();
        Template { pieces, calls }
    }

    /// The functions that it calls.
    pub fn calls(&self) -> &[String] {
        &self.calls
    }

    /// Writes the check; `number` is one that no other expansion in the function has.
    pub fn expand(&self, number: u32, place: &dyn Place, out: &mut String) {
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

/// One of our words, without the `ws.` in front.
fn word(words: &str) -> Piece {
    let (opcode, operands) = words.split_once(' ').unwrap_or((words, ""));
    let (kind, bits) = opcode.split_once('.').unwrap_or((opcode, ""));
    let bits = if bits == "b64" { "b64" } else { "b32" };
    let (first, second) = operands.split_once(',').unwrap_or((operands, ""));
    let (first, second) = (first.trim(), second.trim());
    match kind {
        "op" => Piece::Operation,
        "ctx" => Piece::Context { bits, to: renamed(first), offset: second.parse().unwrap_or(0) },
        "out" => Piece::Output { bits, name: first.to_owned(), from: renamed(second) },
        _ => Piece::Input { bits, to: renamed(first), name: second.to_owned() },
    }
}

/// Appends a line with its registers renamed; labels become pieces of their own.
fn push_renamed(line: &str, text: &mut String, pieces: &mut Vec<Piece>) {
    let mut rest = line;
    while let Some(at) = rest.find(['%', '$']) {
        text.push_str(&rest[..at]);
        let end = rest[at + 1..]
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .map_or(rest.len(), |length| at + 1 + length);
        let name = &rest[at..end];
        if let Some(label) = name.strip_prefix("$L__") {
            pieces.push(Piece::Text(std::mem::take(text)));
            pieces.push(Piece::Label(label.to_owned()));
        } else {
            text.push_str(&renamed(name));
        }
        rest = &rest[end..];
    }
    text.push_str(rest);
}

/// A register of the template under a name that no kernel has; special registers stay.
fn renamed(name: &str) -> String {
    const FAMILIES: [&str; 7] = ["%p", "%r", "%rd", "%rs", "%f", "%fd", "%rq"];
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match FAMILIES.contains(&family) {
        true => format!("%ws_{}", &name[1..]),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
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

    impl Place for Here {
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
        let library = Library::of(TEXT);
        let check = library.get("check").expect("a check");
        let mut out = String::new();
        check.expand(7, &Here, &mut out);
        let wanted = "\t{\n\t.reg .pred \t%ws_p<2>;\n\t.reg .b64 \t%ws_rd<3>;\n\tmov.b64 %ws_rd1, %address;\n\
            \tsetp.eq.s64 \t%ws_p1, %ws_rd1, 0;\n\t@%ws_p1 bra \t$ws_BB1_2_7;\n\tmov.u32 %ws_r1, %laneid;\n\
            \tld.param.b32 %ws_r2, [context+48];\n\tmov.b64 %self, %ws_rd2;\n\tbra $ws_end_7;\n\
            \t$ws_BB1_2_7:\n\tcall.uni\n\thelper,\n\t(\n\tparam0\n\t);\n$ws_end_7:\n\t}\n";
        assert_eq!(out, wanted);
        assert_eq!(check.calls(), ["helper"]);
        let functions = library.functions(check.calls());
        assert!(functions.starts_with(".func helper("), "{functions}");
    }
}
