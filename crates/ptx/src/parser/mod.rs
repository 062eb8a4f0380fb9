//! The parser: one function per form of the grammar, errors collected, recovery at `;`.

mod constants;
mod declarations;
mod functions;
mod instructions;
mod items;
mod operands;
mod sections;

use crate::error::SyntaxError;
use crate::lexer::{Token, Tokens};
use crate::tree::*;
use crate::{Arena, Number, Span};
use rustc_hash::FxHashMap;

/// What the parser made of a text: as much of the tree as could be read, and every error.
#[derive(Debug)]
pub struct Parsed<'a> {
    /// The tree.
    pub module: Module<'a>,
    /// The errors, in the order of the text.
    pub errors: Vec<SyntaxError>,
}

/// Reads a PTX module. The tree lies in the arena.
pub fn parse<'a>(text: &'a str, arena: &'a Arena) -> Parsed<'a> {
    if u32::try_from(text.len()).is_err() {
        let error = SyntaxError { span: Span::new(0, 0), expected: "a text of less than 4 GiB" };
        return Parsed { module: Module::default(), errors: vec![error] };
    }
    Parser::new(text, arena).module()
}

/// Nesting deeper than this is refused rather than followed, so that no input exhausts the stack.
const DEEPEST_NESTING: usize = 64;

/// What has more errors than this is no PTX, and each takes memory.
const MOST_ERRORS: usize = 10_000;

/// An error on its way to the place that recovers.
type Parse<T> = Result<T, SyntaxError>;

struct Parser<'a> {
    arena: &'a Arena,
    tokens: Tokens<'a>,
    errors: Vec<SyntaxError>,
    depth: usize,
    /// The operands are those of a call.
    in_call: bool,
    /// Every distinct opcode with modifiers, so that each is looked up in the table once.
    mnemonics: FxHashMap<&'a str, &'a Mnemonic<'a>>,
    /// Lists under construction. An inner list stands behind the outer one it belongs to.
    statements: Vec<Statement<'a>>,
    operands: Vec<Operand<'a>>,
    words: Vec<&'a str>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, arena: &'a Arena) -> Parser<'a> {
        Parser {
            arena,
            tokens: Tokens::new(text),
            errors: Vec::new(),
            depth: 0,
            in_call: false,
            mnemonics: FxHashMap::default(),
            statements: Vec::new(),
            operands: Vec::new(),
            words: Vec::new(),
        }
    }

    fn peek(&self) -> Token {
        self.tokens.current.0
    }

    fn peek_second(&self) -> Token {
        self.tokens.next.0
    }

    fn span(&self) -> Span {
        self.tokens.current.1
    }

    fn start(&self) -> u32 {
        self.span().start
    }

    /// From an offset to the end of the token before the current one.
    fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.tokens.end_of_previous.max(start))
    }

    fn slice(&self, span: Span) -> &'a str {
        span.text(self.tokens.text)
    }

    fn here(&self) -> &'a str {
        self.slice(self.span())
    }

    fn advance(&mut self) {
        self.tokens.advance();
    }

    /// Takes the current token, whatever it is.
    fn take_any(&mut self) -> &'a str {
        let text = self.here();
        self.advance();
        text
    }

    fn error<T>(&self, expected: &'static str) -> Parse<T> {
        Err(SyntaxError { span: self.span(), expected })
    }

    fn take(&mut self, token: Token) -> Parse<&'a str> {
        if self.peek() == token { Ok(self.take_any()) } else { self.error(token.describe()) }
    }

    fn take_if(&mut self, token: Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    fn is_dot_word(&self, word: &str) -> bool {
        self.peek() == Token::DotWord && self.here() == word
    }

    fn take_dot_word_if(&mut self, word: &str) -> bool {
        let found = self.is_dot_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn new_node<T: Copy>(&self, node: T) -> &'a T {
        self.arena.keep(node)
    }

    fn new_list<T: Copy>(&self, items: &[T]) -> &'a [T] {
        self.arena.keep_list(items)
    }

    /// Words separated by commas, each taken by `item`.
    fn words(&mut self, item: impl Fn(&mut Self) -> Parse<&'a str>) -> Parse<&'a [&'a str]> {
        let first = self.words.len();
        let read = loop {
            match item(self) {
                Ok(word) => self.words.push(word),
                Err(error) => break Err(error),
            }
            if !self.take_if(Token::Comma) {
                break Ok(());
            }
        };
        let list = self.new_list(&self.words[first..]);
        self.words.truncate(first);
        read.map(|()| list)
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

    /// Notes the error and goes on behind the next `;`, or before a `}`. After too many errors the rest is not read:
    /// it is no PTX.
    fn recover(&mut self, error: SyntaxError, before: u32) {
        if self.errors.len() > MOST_ERRORS {
            return;
        }
        self.errors.push(error);
        if self.errors.len() == MOST_ERRORS {
            let expected = "fewer than 10,000 errors; the rest is not read";
            self.errors.push(SyntaxError { span: self.span(), expected });
            self.tokens.stop();
            return;
        }
        loop {
            match self.peek() {
                Token::End => return,
                Token::CloseCurly if self.start() > before => return,
                Token::Semicolon => return self.advance(),
                _ => self.advance(),
            }
        }
    }

    fn number(&mut self) -> Parse<Number<'a>> {
        let start = self.span();
        let negative = self.take_if(Token::Minus);
        let span = self.span();
        let digits = self.take(Token::Integer)?;
        let text = if negative { self.negative(start, span) } else { digits };
        let number = Number { text };
        match number.integer() {
            Some(_) => Ok(number),
            None => Err(SyntaxError { span, expected: "an integer of at most 64 bits" }),
        }
    }

    /// The text of a minus and what follows, without blanks between them.
    fn negative(&self, minus: Span, rest: Span) -> &'a str {
        if minus.end == rest.start {
            return self.slice(Span::new(minus.start, rest.end));
        }
        self.arena.keep_text(&format!("-{}", self.slice(rest)))
    }

    fn small_integer(&mut self) -> Parse<u32> {
        let span = self.span();
        let value = self.number()?.integer().and_then(|value| u32::try_from(value).ok());
        value.ok_or(SyntaxError { span, expected: "an integer of at most 32 bits" })
    }
}

#[cfg(test)]
mod tests;
