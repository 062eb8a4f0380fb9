use crate::lexer::{Token, tokens};
use crate::lines::LineIndex;
use crate::tree::*;
use std::fmt;

/// What the parser made of a text: as much of the tree as could be read, and every error.
#[derive(Debug)]
pub struct Parsed<'s> {
    /// The tree.
    pub module: Module<'s>,
    /// The errors, in the order of the text.
    pub errors: Vec<SyntaxError>,
}

/// Something that is not PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where.
    pub span: Span,
    /// The line, from 1.
    pub line: u32,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Reads a PTX module.
pub fn parse(text: &str) -> Parsed<'_> {
    let mut parser = Parser {
        text,
        lines: LineIndex::new(text),
        tokens: tokens(text),
        at: 0,
        errors: Vec::new(),
        depth: 0,
    };
    let mut module = Module::default();
    while parser.peek().is_some() {
        let before = parser.at;
        if let Err(error) = parser.module_item(&mut module) {
            parser.recover(*error, before);
        }
    }
    if module.version.is_none() {
        let message = "expected `.version` at the start of the module, found none".to_string();
        parser.errors.push(SyntaxError { span: 0..text.len().min(1), line: 1, message });
    }
    Parsed { module, errors: parser.errors }
}

/// Nesting deeper than this is refused rather than followed, so that no input exhausts the stack.
const DEEPEST_NESTING: usize = 64;

struct Parser<'s> {
    text: &'s str,
    lines: LineIndex,
    tokens: Vec<(Token, Span)>,
    at: usize,
    errors: Vec<SyntaxError>,
    depth: usize,
}

/// An error on its way to the place that recovers. Boxed, since it is rare and results are many.
type Parse<T> = Result<T, Box<SyntaxError>>;

impl<'s> Parser<'s> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).map(|(token, _)| *token)
    }

    fn peek_second(&self) -> Option<Token> {
        self.tokens.get(self.at + 1).map(|(token, _)| *token)
    }

    fn span(&self) -> Span {
        let end = self.text.len();
        self.tokens.get(self.at).map_or(end..end, |(_, span)| span.clone())
    }

    fn text_here(&self) -> &'s str {
        &self.text[self.span()]
    }

    /// The end of the token before the current one.
    fn end_of_previous(&self) -> usize {
        if self.at == 0 { 0 } else { self.tokens[self.at - 1].1.end }
    }

    fn error<T>(&self, expected: &str) -> Parse<T> {
        let found = match self.peek() {
            None => "the end of the text".to_string(),
            Some(_) => format!("`{}`", self.text_here()),
        };
        Err(Box::new(SyntaxError {
            span: self.span(),
            line: self.lines.line(self.span().start),
            message: format!("expected {expected}, found {found}"),
        }))
    }

    fn take(&mut self, token: Token) -> Parse<&'s str> {
        if self.peek() == Some(token) {
            let text = self.text_here();
            self.at += 1;
            Ok(text)
        } else {
            self.error(token.describe())
        }
    }

    fn take_if(&mut self, token: Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn is_dot_word(&self, word: &str) -> bool {
        self.peek() == Some(Token::DotWord) && self.text_here() == word
    }

    /// Notes the error and goes on behind the next `;`, or before a `}`.
    fn recover(&mut self, error: SyntaxError, before: usize) {
        self.errors.push(error);
        while let Some(token) = self.peek() {
            if token == Token::CloseCurly && self.at > before {
                return;
            }
            self.at += 1;
            if token == Token::Semicolon {
                return;
            }
        }
    }

    fn module_item(&mut self, module: &mut Module<'s>) -> Parse<()> {
        if self.take_if(Token::Semicolon) {
            return Ok(());
        }
        if self.peek() != Some(Token::DotWord) {
            return self.error("a directive such as `.visible .entry`");
        }
        match self.text_here() {
            ".version" => {
                self.at += 1;
                let number = self.take(Token::Decimal)?;
                let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
                module.version = Some((major.parse().unwrap_or(0), minor.parse().unwrap_or(0)));
                Ok(())
            }
            ".target" => {
                self.at += 1;
                module.target.push(self.take(Token::Word)?);
                while self.take_if(Token::Comma) {
                    module.target.push(self.take(Token::Word)?);
                }
                Ok(())
            }
            ".address_size" => {
                self.at += 1;
                self.take(Token::Integer).map(drop)
            }
            ".file" => self.file(module),
            ".section" => self.section(module),
            ".loc" => self.location().map(drop),
            ".pragma" => {
                self.at += 1;
                self.take(Token::Text)?;
                self.take(Token::Semicolon).map(drop)
            }
            ".alias" => {
                self.at += 1;
                let new = self.take(Token::Word)?;
                self.take(Token::Comma)?;
                let old = self.take(Token::Word)?;
                self.take(Token::Semicolon)?;
                module.aliases.insert(new, old);
                Ok(())
            }
            _ => self.linked_item(module),
        }
    }

    fn linked_item(&mut self, module: &mut Module<'s>) -> Parse<()> {
        let start = self.span().start;
        let mut external = false;
        while self.peek() == Some(Token::DotWord) {
            match self.text_here() {
                ".visible" | ".weak" | ".common" => self.at += 1,
                ".extern" => {
                    external = true;
                    self.at += 1;
                }
                ".entry" => return self.function(module, true, start),
                ".func" => return self.function(module, false, start),
                ".global" | ".const" | ".shared" | ".tex" => {
                    let mut variables = self.variables()?;
                    for variable in &mut variables {
                        variable.external = external;
                    }
                    module.variables.append(&mut variables);
                    return Ok(());
                }
                _ => return self.error("a directive of a module"),
            }
        }
        self.error("`.entry`, `.func` or a state space")
    }

    fn file(&mut self, module: &mut Module<'s>) -> Parse<()> {
        self.at += 1;
        let number = self.small_integer()?;
        let path = self.take(Token::Text)?;
        module.files.insert(number, &path[1..path.len() - 1]);
        while self.take_if(Token::Comma) {
            self.take(Token::Integer)?;
        }
        Ok(())
    }

    /// Sections hold debug data. Only the strings that `.loc` names are kept.
    fn section(&mut self, module: &mut Module<'s>) -> Parse<()> {
        self.at += 1;
        let name = self.take(Token::DotWord)?;
        self.take(Token::OpenCurly)?;
        let mut label = None;
        while let Some(token) = self.peek() {
            match token {
                Token::CloseCurly => {
                    self.at += 1;
                    return Ok(());
                }
                Token::Word if name == ".debug_str" && self.peek_second() == Some(Token::Colon) => {
                    label = Some(self.text_here());
                    self.at += 2;
                }
                Token::Integer if name == ".debug_str" => {
                    let byte = self.integer()? as u8;
                    if let (Some(label), true) = (label, byte != 0) {
                        module.debug_strings.entry(label).or_default().push(char::from(byte));
                    }
                }
                _ => self.at += 1,
            }
        }
        self.error("`}` at the end of the section")
    }

    fn function(&mut self, module: &mut Module<'s>, is_kernel: bool, start: usize) -> Parse<()> {
        self.at += 1;
        while self.is_dot_word(".attribute") {
            self.at += 1;
            self.skip_round()?;
        }
        let returns =
            if self.peek() == Some(Token::OpenRound) { self.parameters()? } else { Vec::new() };
        let name = self.take(Token::Word)?;
        let parameters =
            if self.peek() == Some(Token::OpenRound) { self.parameters()? } else { Vec::new() };
        let mut performance = Vec::new();
        while self.peek() == Some(Token::DotWord) {
            performance.push(self.performance()?);
        }
        let span = start..self.end_of_previous();
        let body = if self.take_if(Token::Semicolon) {
            None
        } else {
            self.take(Token::OpenCurly)?;
            Some(self.block()?)
        };
        module.functions.push(Function {
            name,
            is_kernel,
            returns,
            parameters,
            performance,
            body,
            span,
        });
        Ok(())
    }

    /// The text of a pair of parentheses.
    fn skip_round(&mut self) -> Parse<&'s str> {
        let start = self.span().start;
        self.take(Token::OpenRound)?;
        while self.peek().is_some_and(|token| token != Token::CloseRound) {
            self.at += 1;
        }
        self.take(Token::CloseRound)?;
        Ok(&self.text[start..self.end_of_previous()])
    }

    fn performance(&mut self) -> Parse<Performance<'s>> {
        let directive = self.take(Token::DotWord)?;
        let mut numbers = Vec::new();
        if directive == ".pragma" {
            self.take(Token::Text)?;
            self.take_if(Token::Semicolon);
        }
        while self.peek() == Some(Token::Integer) {
            numbers.push(self.integer()?);
            if !self.take_if(Token::Comma) {
                break;
            }
        }
        Ok(Performance { directive, numbers })
    }

    fn parameters(&mut self) -> Parse<Vec<Variable<'s>>> {
        self.take(Token::OpenRound)?;
        let mut parameters = Vec::new();
        while self.peek() != Some(Token::CloseRound) {
            parameters.push(self.parameter()?);
            if !self.take_if(Token::Comma) {
                break;
            }
        }
        self.take(Token::CloseRound)?;
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parse<Variable<'s>> {
        let start = self.span().start;
        let space = self.take(Token::DotWord)?;
        if space != ".param" && space != ".reg" {
            self.at -= 1;
            return self.error("`.param` or `.reg`");
        }
        let mut variable = self.variable_type(space, start)?;
        // `.ptr .global .align 4` says where a pointer parameter points; nothing depends on it.
        while self.peek() == Some(Token::DotWord) {
            let word = self.take(Token::DotWord)?;
            if word == ".align" {
                self.integer()?;
            }
        }
        self.variable_name(&mut variable)?;
        Ok(variable)
    }

    /// The state space and the type in front of one or more variables.
    fn variable_type(&mut self, space: &'s str, start: usize) -> Parse<Variable<'s>> {
        let (mut alignment, mut vector, mut managed) = (None, 1, false);
        loop {
            if self.is_dot_word(".attribute") {
                self.at += 1;
                managed |= self.skip_round()?.contains(".managed");
                continue;
            }
            let word = self.take(Token::DotWord)?;
            match word {
                ".align" => alignment = Some(self.integer()?),
                ".v2" => vector = 2,
                ".v4" => vector = 4,
                ".v8" => vector = 8,
                data_type => {
                    return Ok(Variable {
                        name: "",
                        space,
                        data_type,
                        alignment,
                        vector,
                        extents: Vec::new(),
                        initial: Vec::new(),
                        nested_initial: false,
                        external: false,
                        managed,
                        span: start..self.end_of_previous(),
                    });
                }
            }
        }
    }

    fn variable_name(&mut self, variable: &mut Variable<'s>) -> Parse<()> {
        variable.name = match self.peek() {
            Some(Token::Word) => self.take(Token::Word)?,
            Some(Token::Underscore) => self.take(Token::Underscore)?,
            _ => return self.error("the name of a variable"),
        };
        while self.take_if(Token::OpenSquare) {
            let open = self.peek() == Some(Token::CloseSquare);
            variable.extents.push(if open { 0 } else { self.integer()? });
            self.take(Token::CloseSquare)?;
        }
        if self.take_if(Token::Equals) {
            let depth = self.initialiser(&mut variable.initial)?;
            variable.nested_initial = depth > 1;
        }
        variable.span.end = self.end_of_previous();
        Ok(())
    }

    fn variables(&mut self) -> Parse<Vec<Variable<'s>>> {
        let start = self.span().start;
        let space = self.take(Token::DotWord)?;
        let prototype = self.variable_type(space, start)?;
        let mut variables = Vec::new();
        loop {
            let mut variable = prototype.clone();
            self.variable_name(&mut variable)?;
            variables.push(variable);
            if !self.take_if(Token::Comma) {
                break;
            }
        }
        self.take(Token::Semicolon)?;
        Ok(variables)
    }

    /// Adds the flattened values, and says how many levels of braces there were.
    fn initialiser(&mut self, into: &mut Vec<Operand<'s>>) -> Parse<usize> {
        if self.take_if(Token::OpenCurly) {
            let inside = self.nested(|parser| {
                let mut deepest = 0;
                while parser.peek() != Some(Token::CloseCurly) {
                    deepest = deepest.max(parser.initialiser(into)?);
                    if !parser.take_if(Token::Comma) {
                        break;
                    }
                }
                Ok(deepest)
            })?;
            self.take(Token::CloseCurly)?;
            Ok(inside + 1)
        } else {
            into.push(self.operand()?);
            Ok(0)
        }
    }

    /// Parses something one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= DEEPEST_NESTING {
            return self.error("at most 64 levels of nesting");
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// The statements behind `{`, up to and with `}`.
    fn block(&mut self) -> Parse<Vec<Statement<'s>>> {
        self.nested(Self::statements)
    }

    fn statements(&mut self) -> Parse<Vec<Statement<'s>>> {
        let mut statements = Vec::new();
        loop {
            match self.peek() {
                None => return self.error("`}` at the end of the body"),
                Some(Token::CloseCurly) => {
                    self.at += 1;
                    return Ok(statements);
                }
                Some(_) => {
                    let before = self.at;
                    if let Err(error) = self.statement(&mut statements) {
                        self.recover(*error, before);
                    }
                }
            }
        }
    }

    fn statement(&mut self, into: &mut Vec<Statement<'s>>) -> Parse<()> {
        match self.peek() {
            Some(Token::Semicolon) => self.at += 1,
            Some(Token::OpenCurly) => {
                self.at += 1;
                into.push(Statement::Block(self.block()?));
            }
            Some(Token::Word) if self.peek_second() == Some(Token::Colon) => {
                let label = self.take(Token::Word)?;
                self.at += 1;
                into.push(self.labelled(label)?);
            }
            Some(Token::DotWord) => match self.text_here() {
                ".loc" => into.push(Statement::Location(self.location()?)),
                ".reg" => into.push(Statement::Registers(self.registers()?)),
                ".pragma" => {
                    self.at += 1;
                    self.take(Token::Text)?;
                    self.take(Token::Semicolon)?;
                }
                ".shared" | ".local" | ".param" | ".global" | ".const" => {
                    into.extend(self.variables()?.into_iter().map(Statement::Variable));
                }
                _ => return self.error("a statement"),
            },
            Some(Token::At | Token::Word) => {
                into.push(Statement::Instruction(self.instruction()?));
            }
            _ => return self.error("a statement"),
        }
        Ok(())
    }

    fn labelled(&mut self, label: &'s str) -> Parse<Statement<'s>> {
        if self.is_dot_word(".branchtargets") {
            self.at += 1;
            let mut targets = vec![self.take(Token::Word)?];
            while self.take_if(Token::Comma) {
                targets.push(self.take(Token::Word)?);
            }
            self.take(Token::Semicolon)?;
            return Ok(Statement::BranchTargets(label, targets));
        }
        if self.is_dot_word(".callprototype") || self.is_dot_word(".calltargets") {
            while self.peek().is_some_and(|token| token != Token::Semicolon) {
                self.at += 1;
            }
            self.take(Token::Semicolon)?;
            return Ok(Statement::CallPrototype(label));
        }
        Ok(Statement::Label(label))
    }

    fn location(&mut self) -> Parse<Location<'s>> {
        self.at += 1;
        let (file, line, column) = self.place()?;
        let mut inlined = None;
        if self.take_if(Token::Comma) {
            self.expect_word("function_name")?;
            let name = self.take(Token::Word)?;
            if self.take_if(Token::Plus) {
                self.integer()?;
            }
            self.take(Token::Comma)?;
            self.expect_word("inlined_at")?;
            inlined = Some((name, self.place()?));
        }
        Ok(Location { file, line, column, inlined })
    }

    fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.peek() == Some(Token::Word) && self.text_here() == word {
            self.at += 1;
            return Ok(());
        }
        self.error(&format!("`{word}`"))
    }

    fn place(&mut self) -> Parse<(u32, u32, u32)> {
        Ok((self.small_integer()?, self.small_integer()?, self.small_integer()?))
    }

    fn registers(&mut self) -> Parse<RegisterDeclaration<'s>> {
        let start = self.span().start;
        self.at += 1;
        let prototype = self.variable_type(".reg", start)?;
        let mut names = Vec::new();
        loop {
            let name = self.take(Token::Word)?;
            let count = if self.take_if(Token::Less) {
                let count = self.small_integer()?;
                self.take(Token::Greater)?;
                Some(count)
            } else {
                None
            };
            names.push((name, count));
            if !self.take_if(Token::Comma) {
                break;
            }
        }
        self.take(Token::Semicolon)?;
        let span = start..self.end_of_previous();
        Ok(RegisterDeclaration {
            data_type: prototype.data_type,
            vector: prototype.vector,
            names,
            span,
        })
    }

    fn instruction(&mut self) -> Parse<Instruction<'s>> {
        let start = self.span().start;
        let guard = if self.take_if(Token::At) {
            let negated = self.take_if(Token::Bang);
            Some(Guard { register: self.take(Token::Word)?, negated })
        } else {
            None
        };
        let opcode = self.take(Token::Word)?;
        let mut modifiers = Vec::new();
        while self.peek() == Some(Token::DotWord) {
            modifiers.push(&self.take(Token::DotWord)?[1..]);
        }
        let mut operands = Vec::new();
        if self.peek() != Some(Token::Semicolon) {
            operands.push(self.operand()?);
            while self.take_if(Token::Comma) {
                operands.push(self.operand()?);
            }
        }
        let span = start..self.end_of_previous();
        self.take(Token::Semicolon)?;
        Ok(Instruction { guard, opcode, modifiers, operands, span })
    }

    fn operand(&mut self) -> Parse<Operand<'s>> {
        let first = self.simple_operand()?;
        if self.take_if(Token::Bar) {
            let second = self.simple_operand()?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn simple_operand(&mut self) -> Parse<Operand<'s>> {
        match self.peek() {
            Some(Token::Word) => self.name_operand(),
            Some(Token::Underscore) => {
                self.at += 1;
                Ok(Operand::Ignored)
            }
            Some(Token::Bang) => {
                self.at += 1;
                Ok(Operand::Not(self.take(Token::Word)?))
            }
            Some(Token::OpenCurly) => {
                self.at += 1;
                let items = self.operand_list(Token::CloseCurly)?;
                Ok(Operand::Vector(items))
            }
            Some(Token::OpenRound) => {
                self.at += 1;
                let items = self.operand_list(Token::CloseRound)?;
                Ok(Operand::List(items))
            }
            Some(Token::OpenSquare) => self.address(),
            Some(Token::Minus | Token::Integer) => Ok(Operand::Integer(self.signed()? as u64)),
            Some(Token::Float32Bits | Token::Float64Bits | Token::Decimal) => self.float(),
            _ => self.error("an operand"),
        }
    }

    fn operand_list(&mut self, end: Token) -> Parse<Vec<Operand<'s>>> {
        let items = self.nested(|parser| {
            let mut items = Vec::new();
            while parser.peek() != Some(end) {
                items.push(parser.operand()?);
                if !parser.take_if(Token::Comma) {
                    break;
                }
            }
            Ok(items)
        })?;
        self.take(end)?;
        Ok(items)
    }

    fn name_operand(&mut self) -> Parse<Operand<'s>> {
        let start = self.span().start;
        self.at += 1;
        // `%tid.x`: the part behind the dot belongs to the name.
        if self.peek() == Some(Token::DotWord) {
            self.at += 1;
        }
        let name = &self.text[start..self.end_of_previous()];
        if self.peek() == Some(Token::OpenRound) && name == "generic" {
            self.at += 1;
            let inner = self.nested(Self::simple_operand)?;
            self.take(Token::CloseRound)?;
            return Ok(inner);
        }
        if matches!(self.peek(), Some(Token::Plus | Token::Minus)) {
            return Ok(Operand::NameOffset(name, self.offset()?));
        }
        Ok(Operand::Name(name))
    }

    /// `+4`, `-4`, `+-4`.
    fn offset(&mut self) -> Parse<i64> {
        self.take_if(Token::Plus);
        self.signed()
    }

    fn address(&mut self) -> Parse<Operand<'s>> {
        self.take(Token::OpenSquare)?;
        let (base, mut offset) = match self.peek() {
            Some(Token::Word) => (AddressBase::Name(self.take(Token::Word)?), 0),
            Some(Token::Integer | Token::Minus) => (AddressBase::Absolute, self.signed()?),
            _ => return self.error("a register, a variable or a number"),
        };
        if matches!(self.peek(), Some(Token::Plus | Token::Minus)) {
            offset = offset.wrapping_add(self.offset()?);
        }
        if self.peek() == Some(Token::Comma) {
            // Texture and tensor coordinates: kept as a list, since no plain access has them.
            self.at += 1;
            let mut items = vec![Operand::Address { base, offset }];
            items.extend(self.operand_list(Token::CloseSquare)?);
            return Ok(Operand::List(items));
        }
        self.take(Token::CloseSquare)?;
        Ok(Operand::Address { base, offset })
    }

    fn small_integer(&mut self) -> Parse<u32> {
        let before = self.at;
        let value = self.integer()?;
        u32::try_from(value).or_else(|_| {
            self.at = before;
            self.error("an integer of at most 32 bits")
        })
    }

    fn signed(&mut self) -> Parse<i64> {
        let negative = self.take_if(Token::Minus);
        let magnitude = self.integer()? as i64;
        Ok(if negative { magnitude.wrapping_neg() } else { magnitude })
    }

    fn integer(&mut self) -> Parse<u64> {
        let span = self.span();
        let text = self.take(Token::Integer)?.trim_end_matches('U');
        let lower = text.to_ascii_lowercase();
        let value = if let Some(digits) = lower.strip_prefix("0x") {
            u64::from_str_radix(digits, 16)
        } else if let Some(digits) = lower.strip_prefix("0b") {
            u64::from_str_radix(digits, 2)
        } else if lower.len() > 1 && lower.starts_with('0') {
            u64::from_str_radix(&lower[1..], 8)
        } else {
            lower.parse()
        };
        value.map_err(|_| {
            Box::new(SyntaxError {
                line: self.lines.line(span.start),
                span,
                message: format!("expected an integer of at most 64 bits, found `{text}`"),
            })
        })
    }

    fn float(&mut self) -> Parse<Operand<'s>> {
        let text = self.text_here();
        let token = self.peek();
        self.at += 1;
        Ok(match token {
            Some(Token::Float32Bits) => {
                Operand::Float32(u32::from_str_radix(&text[2..], 16).unwrap_or_default())
            }
            Some(Token::Float64Bits) => {
                Operand::Float64(u64::from_str_radix(&text[2..], 16).unwrap_or_default())
            }
            _ => Operand::Float64(text.parse::<f64>().unwrap_or_default().to_bits()),
        })
    }
}

#[cfg(test)]
mod tests;
