//! Instructions: guard, opcode with modifiers, operands.

use super::{Parse, Parser};
use crate::error::SyntaxError;
use crate::lexer::Token;
use crate::table;
use crate::tree::*;

impl<'a> Parser<'a> {
    pub(super) fn instruction(&mut self) -> Parse<&'a Instruction<'a>> {
        let start = self.start();
        let guard = if self.take_if(Token::At) {
            let negated = self.take_if(Token::Bang);
            let register = self.take(Token::Word)?;
            Some(self.new_node(Guard { register, negated }))
        } else {
            None
        };
        let mnemonic = self.mnemonic()?;
        let first = self.operands.len();
        self.in_call = mnemonic.opcode == "call";
        let read = self.operands_up_to_semicolon();
        self.in_call = false;
        let operands = self.new_list(&self.operands[first..]);
        self.operands.truncate(first);
        read?;
        let span = self.span_from(start);
        // Whatever comes in a later version of PTX: a lone word that nobody knows is a mistake.
        if mnemonic.row.is_none() && mnemonic.modifiers.is_empty() && operands.is_empty() {
            return Err(SyntaxError { span, expected: "an instruction" });
        }
        self.take(Token::Semicolon)?;
        Ok(self.new_node(Instruction { guard, mnemonic, operands, span }))
    }

    fn operands_up_to_semicolon(&mut self) -> Parse<()> {
        if self.peek() == Token::Semicolon {
            return Ok(());
        }
        loop {
            let operand = self.operand()?;
            self.operands.push(operand);
            if !self.take_if(Token::Comma) {
                return Ok(());
            }
        }
    }

    fn mnemonic(&mut self) -> Parse<&'a Mnemonic<'a>> {
        if !matches!(self.peek(), Token::Word | Token::DottedWord) {
            return self.error("an instruction");
        }
        let mut text = self.take_any();
        // Nobody writes blanks in front of a modifier, but they are allowed.
        while self.peek() == Token::DotWord {
            let word = self.take_any();
            text = self.arena.keep_text(&format!("{text}{word}"));
        }
        if let Some(known) = self.mnemonics.get(text) {
            return Ok(known);
        }
        let mut words = text.split('.');
        let opcode = words.next().unwrap_or_default();
        let first = self.words.len();
        self.words.extend(words);
        let modifiers = self.new_list(&self.words[first..]);
        self.words.truncate(first);
        let row = table::find(opcode, modifiers);
        let mnemonic = self.new_node(Mnemonic { text, opcode, modifiers, row });
        self.mnemonics.insert(text, mnemonic);
        Ok(mnemonic)
    }
}
