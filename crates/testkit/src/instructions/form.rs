use super::ValueType;
use warpsan_oracle::random::fingerprint;

/// When a result counts as the same as the one that the GPU gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// All bits are the same.
    Exact,
    /// All bits are the same, but for NaNs: the manual leaves open which one comes out.
    Value,
    /// The manual gives a bound of the error. Both results may be off by it, in opposite directions.
    Near {
        /// The bound as a part of the value.
        relative: f64,
        /// The bound where it is absolute; results that differ by no more than this are the same.
        absolute: f64,
    },
}

/// One instruction with all its modifiers and types.
#[derive(Clone, Debug)]
pub struct Form {
    /// The group, whose recorded outputs are in one file.
    pub group: &'static str,
    /// The opcode, with a remark in parentheses where forms share it.
    pub name: String,
    /// PTX over the registers `a`, `b`, `c` and `f` (operands) and `d` and `e` (results).
    pub code: String,
    /// The operands, in the order `a`, `b`, `c`, `f`.
    pub operands: Vec<ValueType>,
    /// The results, in the order `d`, `e`.
    pub results: Vec<ValueType>,
    /// How results are compared.
    pub rule: Rule,
}

impl Form {
    /// The registers of the operands.
    pub const OPERANDS: [&'static str; 4] = ["a", "b", "c", "f"];
    /// The registers of the results.
    pub const RESULTS: [&'static str; 2] = ["d", "e"];

    /// An instruction that takes its operands in order and has one result, which must be exact.
    pub fn new(opcode: impl Into<String>, operands: &[ValueType], result: ValueType) -> Self {
        let name = opcode.into();
        let registers = ["d"].iter().chain(&Self::OPERANDS[..operands.len()]);
        let registers: Vec<&str> = registers.copied().collect();
        let code = format!("{name} {};", registers.join(", "));
        Self::of_code(name, code, operands, &[result])
    }

    /// A form whose code is more than an opcode with its operands in order.
    pub fn of_code(
        name: impl Into<String>,
        code: impl Into<String>,
        operands: &[ValueType],
        results: &[ValueType],
    ) -> Self {
        debug_assert!(operands.len() <= Self::OPERANDS.len());
        debug_assert!(results.len() <= Self::RESULTS.len());
        Self {
            group: "",
            name: name.into(),
            code: code.into(),
            operands: operands.to_vec(),
            results: results.to_vec(),
            rule: Rule::Exact,
        }
    }

    /// The same form with this rule.
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// The name of its kernel.
    pub fn kernel_name(&self) -> String {
        let mut name = String::from("k_");
        for character in self.name.chars() {
            match character {
                'a'..='z' | 'A'..='Z' | '0'..='9' => name.push(character),
                '-' => name.push_str("minus"),
                _ => name.push('_'),
            }
        }
        name.trim_end_matches('_').to_owned()
    }

    /// Changes when anything changes that the outputs depend on.
    pub fn fingerprint(&self) -> u64 {
        let inputs = self.inputs();
        let inputs = inputs.iter().flatten().flat_map(|value| value.to_le_bytes());
        let results = self.results.iter().map(|result| result.bytes() as u8);
        fingerprint(self.code.bytes().chain(results).chain(inputs))
    }
}
