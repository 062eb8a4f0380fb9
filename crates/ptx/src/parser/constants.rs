//! Constant expressions (section 4.5.4 of the manual): integers with the operators of C.

use super::{Parse, Parser};
use crate::error::SyntaxError;
use crate::lexer::Token;

/// Binary operators by how tightly they bind, loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binary {
    LogicalOr,
    LogicalAnd,
    Or,
    ExclusiveOr,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Binary {
    fn strength(self) -> u32 {
        match self {
            Binary::LogicalOr => 1,
            Binary::LogicalAnd => 2,
            Binary::Or => 3,
            Binary::ExclusiveOr => 4,
            Binary::And => 5,
            Binary::Equal | Binary::NotEqual => 6,
            Binary::Less | Binary::LessOrEqual | Binary::Greater | Binary::GreaterOrEqual => 7,
            Binary::ShiftLeft | Binary::ShiftRight => 8,
            Binary::Add | Binary::Subtract => 9,
            Binary::Multiply | Binary::Divide | Binary::Remainder => 10,
        }
    }

    /// Nothing for a division by zero.
    fn apply(self, a: i64, b: i64) -> Option<i64> {
        Some(match self {
            Binary::LogicalOr => i64::from(a != 0 || b != 0),
            Binary::LogicalAnd => i64::from(a != 0 && b != 0),
            Binary::Or => a | b,
            Binary::ExclusiveOr => a ^ b,
            Binary::And => a & b,
            Binary::Equal => i64::from(a == b),
            Binary::NotEqual => i64::from(a != b),
            Binary::Less => i64::from(a < b),
            Binary::LessOrEqual => i64::from(a <= b),
            Binary::Greater => i64::from(a > b),
            Binary::GreaterOrEqual => i64::from(a >= b),
            Binary::ShiftLeft => a.checked_shl(u32::try_from(b).ok()?).unwrap_or(0),
            Binary::ShiftRight => a.checked_shr(u32::try_from(b).ok()?).unwrap_or(0),
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide => (b != 0).then(|| a.wrapping_div(b))?,
            Binary::Remainder => (b != 0).then(|| a.wrapping_rem(b))?,
        })
    }
}

impl Parser<'_> {
    /// Whether a token behind a number makes it part of an expression.
    pub(super) fn continues_constant(&self, token: Token) -> bool {
        matches!(
            token,
            Token::Plus
                | Token::Minus
                | Token::Star
                | Token::Slash
                | Token::Percent
                | Token::Less
                | Token::Greater
                | Token::Equals
                | Token::Bang
                | Token::Ampersand
                | Token::Bar
                | Token::Caret
                | Token::Question
        )
    }

    /// The value of a constant expression.
    pub(super) fn constant_value(&mut self) -> Parse<u64> {
        let condition = self.binary(1)?;
        if !self.take_if(Token::Question) {
            return Ok(condition as u64);
        }
        let yes = self.nested(Self::constant_value)?;
        self.take(Token::Colon)?;
        let no = self.nested(Self::constant_value)?;
        Ok(if condition != 0 { yes } else { no })
    }

    /// A number, or an expression in parentheses.
    pub(super) fn constant_value_of_term(&mut self) -> Parse<u64> {
        self.term().map(|value| value as u64)
    }

    fn binary(&mut self, weakest: u32) -> Parse<i64> {
        let mut left = self.term()?;
        loop {
            let span = self.span();
            let Some((operator, tokens)) = self.binary_operator() else { return Ok(left) };
            if operator.strength() < weakest {
                return Ok(left);
            }
            for _ in 0..tokens {
                self.advance();
            }
            let right = self.nested(|parser| parser.binary(operator.strength() + 1))?;
            left = operator
                .apply(left, right)
                .ok_or(SyntaxError { span, expected: "a division by something other than zero" })?;
        }
    }

    /// The operator at the current token, and how many tokens it has.
    fn binary_operator(&self) -> Option<(Binary, usize)> {
        let adjacent = self.tokens.current.1.end == self.tokens.next.1.start;
        let second = if adjacent { self.peek_second() } else { Token::End };
        Some(match (self.peek(), second) {
            (Token::Bar, Token::Bar) => (Binary::LogicalOr, 2),
            (Token::Ampersand, Token::Ampersand) => (Binary::LogicalAnd, 2),
            (Token::Ampersand, _) => (Binary::And, 1),
            (Token::Caret, _) => (Binary::ExclusiveOr, 1),
            (Token::Equals, Token::Equals) => (Binary::Equal, 2),
            (Token::Bang, Token::Equals) => (Binary::NotEqual, 2),
            (Token::Less, Token::Less) => (Binary::ShiftLeft, 2),
            (Token::Less, Token::Equals) => (Binary::LessOrEqual, 2),
            (Token::Less, _) => (Binary::Less, 1),
            (Token::Greater, Token::Greater) => (Binary::ShiftRight, 2),
            (Token::Greater, Token::Equals) => (Binary::GreaterOrEqual, 2),
            (Token::Greater, _) => (Binary::Greater, 1),
            (Token::Plus, _) => (Binary::Add, 1),
            (Token::Minus, _) => (Binary::Subtract, 1),
            (Token::Star, _) => (Binary::Multiply, 1),
            (Token::Slash, _) => (Binary::Divide, 1),
            (Token::Percent, _) => (Binary::Remainder, 1),
            (Token::Bar, _) => (Binary::Or, 1),
            _ => return None,
        })
    }

    fn term(&mut self) -> Parse<i64> {
        match self.peek() {
            Token::Integer => {
                let number = self.number()?;
                Ok(number.integer().unwrap_or_default() as i64)
            }
            Token::Minus => {
                self.advance();
                Ok(self.nested(Self::term)?.wrapping_neg())
            }
            Token::Plus => {
                self.advance();
                self.nested(Self::term)
            }
            Token::Tilde => {
                self.advance();
                Ok(!self.nested(Self::term)?)
            }
            Token::Bang => {
                self.advance();
                Ok(i64::from(self.nested(Self::term)? == 0))
            }
            Token::OpenRound => {
                self.advance();
                // A cast changes signedness only, which division, remainder and right shift of
                // numbers beyond 63 bits alone would notice.
                if self.take_dot_word_if(".s64") || self.take_dot_word_if(".u64") {
                    self.take(Token::CloseRound)?;
                    return self.nested(Self::term);
                }
                let value = self.nested(Self::constant_value)?;
                self.take(Token::CloseRound)?;
                Ok(value as i64)
            }
            Token::Word if self.here() == "WARP_SZ" => {
                self.advance();
                Ok(32)
            }
            _ => self.error("a number"),
        }
    }
}
