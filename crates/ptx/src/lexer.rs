//! PTX text to tokens.

use crate::Span;
use logos::Logos;

/// The tokens of PTX. A word with a leading dot is a directive or a modifier.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(crate) enum Token {
    #[regex(r"\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+)*")]
    DotWord,
    #[regex(r"[A-Za-z][A-Za-z0-9_$]*|[_$%][A-Za-z0-9_$]+")]
    Word,
    /// A word with its modifiers or its component, without blanks: `ld.global.u32`, `%tid.x`.
    #[regex(r"([A-Za-z][A-Za-z0-9_$]*|[_$%][A-Za-z0-9_$]+)(\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+)*)+")]
    DottedWord,
    #[token("_")]
    Underscore,
    #[token("%")]
    Percent,
    #[regex(r"0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|[0-9]+U?", priority = 5)]
    Integer,
    #[regex(r"0[fF][0-9A-Fa-f]{8}", priority = 10)]
    Float32Bits,
    #[regex(r"0[dD][0-9A-Fa-f]{16}", priority = 10)]
    Float64Bits,
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", priority = 6)]
    Decimal,
    #[regex(r#""[^"\n]*""#)]
    Text,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("(")]
    OpenRound,
    #[token(")")]
    CloseRound,
    #[token("[")]
    OpenSquare,
    #[token("]")]
    CloseSquare,
    #[token("{")]
    OpenCurly,
    #[token("}")]
    CloseCurly,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("@")]
    At,
    #[token("!")]
    Bang,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("|")]
    Bar,
    #[token("=")]
    Equals,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("&")]
    Ampersand,
    #[token("^")]
    Caret,
    #[token("~")]
    Tilde,
    #[token("?")]
    Question,
    /// Behind the last token.
    End,
    /// A byte that no PTX token starts with.
    Unknown,
}

impl Token {
    /// How an error message calls the token.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Token::DotWord => "a directive or modifier",
            Token::Word => "a name",
            Token::DottedWord => "a name with modifiers",
            Token::Underscore => "`_`",
            Token::Percent => "`%`",
            Token::Integer => "an integer",
            Token::Float32Bits | Token::Float64Bits | Token::Decimal => "a floating-point number",
            Token::Text => "a string",
            Token::Comma => "`,`",
            Token::Semicolon => "`;`",
            Token::Colon => "`:`",
            Token::OpenRound => "`(`",
            Token::CloseRound => "`)`",
            Token::OpenSquare => "`[`",
            Token::CloseSquare => "`]`",
            Token::OpenCurly => "`{`",
            Token::CloseCurly => "`}`",
            Token::Less => "`<`",
            Token::Greater => "`>`",
            Token::At => "`@`",
            Token::Bang => "`!`",
            Token::Plus => "`+`",
            Token::Minus => "`-`",
            Token::Bar => "`|`",
            Token::Equals => "`=`",
            Token::Star => "`*`",
            Token::Slash => "`/`",
            Token::Ampersand => "`&`",
            Token::Caret => "`^`",
            Token::Tilde => "`~`",
            Token::Question => "`?`",
            Token::End => "the end of the text",
            Token::Unknown => "a character that PTX does not have",
        }
    }
}

/// The tokens of a text, one after the other; two of them can be looked at before they are taken.
pub(crate) struct Tokens<'a> {
    lexer: logos::SpannedIter<'a, Token>,
    pub(crate) text: &'a str,
    pub(crate) current: (Token, Span),
    pub(crate) next: (Token, Span),
    /// The end of the token before the current one.
    pub(crate) end_of_previous: u32,
}

impl<'a> Tokens<'a> {
    /// Starts at the first token. What is no token becomes [`Token::Unknown`].
    pub(crate) fn new(text: &'a str) -> Tokens<'a> {
        let nothing = (Token::End, Span::new(0, 0));
        let lexer = Token::lexer(text).spanned();
        let mut tokens =
            Tokens { lexer, text, current: nothing, next: nothing, end_of_previous: 0 };
        tokens.advance();
        tokens.advance();
        tokens.end_of_previous = 0;
        tokens
    }

    pub(crate) fn advance(&mut self) {
        self.end_of_previous = self.current.1.end;
        self.current = self.next;
        self.next = match self.lexer.next() {
            Some((token, span)) => {
                (token.unwrap_or(Token::Unknown), Span::new(span.start as u32, span.end as u32))
            }
            None => self.end(),
        };
    }

    /// From now on the text is at its end.
    pub(crate) fn stop(&mut self) {
        self.lexer = Token::lexer("").spanned();
        (self.current, self.next) = (self.end(), self.end());
    }

    fn end(&self) -> (Token, Span) {
        (Token::End, Span::new(self.text.len() as u32, self.text.len() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token> {
        let mut tokens = Tokens::new(text);
        let mut kinds = Vec::new();
        while tokens.current.0 != Token::End {
            kinds.push(tokens.current.0);
            tokens.advance();
        }
        kinds
    }

    #[test]
    fn an_instruction_is_words_dots_and_punctuation() {
        use Token::*;
        assert_eq!(
            kinds("@%p1 ld.shared::cta.u32 %r1, [%rd1+-4]; // why"),
            [
                At,
                Word,
                DottedWord,
                Word,
                Comma,
                OpenSquare,
                Word,
                Plus,
                Minus,
                Integer,
                CloseSquare,
                Semicolon
            ]
        );
    }

    #[test]
    fn literals_are_told_apart() {
        use Token::*;
        assert_eq!(
            kinds("0f3F800000 0d3FF0000000000000 9.0 0x1F 17 0b11 0fFFFFFFFF"),
            [Float32Bits, Float64Bits, Decimal, Integer, Integer, Integer, Float32Bits]
        );
    }

    #[test]
    fn strange_bytes_do_not_stop_the_lexer() {
        assert_eq!(kinds("ret ¤ ;").last(), Some(&Token::Semicolon));
        assert!(kinds("ret ¤ ;").contains(&Token::Unknown));
    }
}
