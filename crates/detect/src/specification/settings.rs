//! What users can choose about a detector, declared once: `settings!` makes a struct of the declaration, with the
//! defaults, the form in files, and a [`Setting`] for each field. The command line makes flags of these, and the flags
//! that show a race again.

/// One thing that users can choose.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The name of the field. The flag is `--DETECTOR-NAME`, with `-` for `_`.
    pub name: &'static str,
    /// What stands for the value in `--help`.
    pub value_name: &'static str,
    /// The flag's help.
    pub help: &'static str,
    /// The values to choose from.
    pub values: Values,
    /// Whether another value can change what is reported, so that it has to be repeated to see a race again.
    pub changes_verdicts: bool,
}

impl Setting {
    /// Its flag, without the dashes before it.
    pub fn flag(&self, detector: &str) -> String {
        format!("{detector}-{}", self.name.replace('_', "-"))
    }
}

/// The values of a setting.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// One of these words; each has its meaning beside it.
    Words(&'static [(&'static str, &'static str)]),
    /// Any text that this takes. Else it says what is wrong.
    Checked(fn(&str) -> Result<(), WrongValue>),
}

/// Why a text is no value of a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongValue(pub String);

impl WrongValue {
    /// The setting is one of another detector.
    pub(crate) fn no_setting(setting: &Setting) -> WrongValue {
        WrongValue(format!("there is no setting {}", setting.name))
    }
}

/// A type that a setting can have.
pub trait SettingValue: Copy {
    /// The values to choose from.
    const VALUES: Values;

    /// The value that a text stands for.
    fn read(text: &str) -> Result<Self, WrongValue>;

    /// The text of a value; none for one that flags cannot say.
    fn text(&self) -> Option<String>;
}

/// The settings of one detector.
pub trait SettingGroup {
    /// All of them, in the order of the declaration.
    fn all(&self) -> &'static [Setting];

    /// The value of one, as flags have it; none for a value that flags cannot say.
    fn text(&self, setting: &Setting) -> Option<String>;

    /// Changes one.
    fn set(&mut self, setting: &Setting, text: &str) -> Result<(), WrongValue>;
}

/// Declares the settings of a detector. The comment of a field is its help; behind the default comes the word that stands
/// for the value there, and `speed_only` if it changes no verdict.
macro_rules! settings {
    (
        $(#[$of_struct:meta])*
        pub struct $group:ident {
            $(
                $(#[doc = $help:literal])+
                pub $name:ident: $type:ty = $default:expr, $value_name:literal $(, $speed_only:ident)?;
            )*
        }
    ) => {
        $(#[$of_struct])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $group {
            $( $(#[doc = $help])+ pub $name: $type, )*
        }

        impl Default for $group {
            fn default() -> Self {
                $group { $( $name: $default, )* }
            }
        }

        impl $crate::specification::settings::SettingGroup for $group {
            fn all(&self) -> &'static [$crate::specification::settings::Setting] {
                use $crate::specification::settings::{Setting, SettingValue};
                const ALL: &[Setting] = &[$(
                    Setting {
                        name: stringify!($name),
                        value_name: $value_name,
                        help: concat!($($help),+),
                        values: <$type as SettingValue>::VALUES,
                        changes_verdicts: $crate::specification::settings::settings!(@verdicts $($speed_only)?),
                    },
                )*];
                ALL
            }

            fn text(&self, setting: &$crate::specification::settings::Setting) -> Option<String> {
                use $crate::specification::settings::SettingValue;
                match setting.name {
                    $( stringify!($name) => self.$name.text(), )*
                    _ => None,
                }
            }

            fn set(
                &mut self,
                setting: &$crate::specification::settings::Setting,
                text: &str,
            ) -> Result<(), $crate::specification::settings::WrongValue> {
                use $crate::specification::settings::{SettingValue, WrongValue};
                match setting.name {
                    $( stringify!($name) => self.$name = SettingValue::read(text)?, )*
                    _ => return Err(WrongValue::no_setting(setting)),
                }
                Ok(())
            }
        }
    };
    (@verdicts) => { true };
    (@verdicts speed_only) => { false };
}
pub(crate) use settings;

/// Makes a [`SettingValue`] of an enum whose variants are words on the command line.
macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal: $help:literal,)+ }) => {
        impl $crate::specification::settings::SettingValue for $type {
            const VALUES: $crate::specification::settings::Values =
                $crate::specification::settings::Values::Words(&[$(($word, $help)),+]);

            fn read(text: &str) -> Result<Self, $crate::specification::settings::WrongValue> {
                match text {
                    $( $word => Ok($type::$variant), )+
                    _ => Err($crate::specification::settings::WrongValue("it is not such a word".to_owned())),
                }
            }

            fn text(&self) -> Option<String> {
                let word = match self {
                    $( $type::$variant => $word, )+
                };
                Some(word.to_owned())
            }
        }
    };
}
pub(crate) use words;

/// Makes a [`SettingValue`] of a type that is one of a few numbers.
macro_rules! choice_of_numbers {
    ($type:ty) => {
        impl $crate::specification::settings::SettingValue for $type {
            const VALUES: $crate::specification::settings::Values =
                $crate::specification::settings::Values::Checked(|text| {
                    <$type>::read(text).map(|_| ())
                });

            fn read(text: &str) -> Result<Self, $crate::specification::settings::WrongValue> {
                use $crate::specification::settings::WrongValue;
                let number: u8 =
                    text.parse().map_err(|_| WrongValue("it is not such a number".to_owned()))?;
                <$type>::try_from(number).map_err(|error| WrongValue(error.to_string()))
            }

            fn text(&self) -> Option<String> {
                Some(u8::from(*self).to_string())
            }
        }
    };
}
pub(crate) use choice_of_numbers;

/// Nothing to choose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}

impl SettingGroup for NoSettings {
    fn all(&self) -> &'static [Setting] {
        &[]
    }

    fn text(&self, _: &Setting) -> Option<String> {
        None
    }

    fn set(&mut self, setting: &Setting, _: &str) -> Result<(), WrongValue> {
        Err(WrongValue::no_setting(setting))
    }
}

impl SettingValue for bool {
    const VALUES: Values = Values::Words(&[("on", "It is done"), ("off", "It is not")]);

    fn read(text: &str) -> Result<bool, WrongValue> {
        match text {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(WrongValue("it is neither on nor off".to_owned())),
        }
    }

    fn text(&self) -> Option<String> {
        Some(if *self { "on" } else { "off" }.to_owned())
    }
}

impl SettingValue for u32 {
    const VALUES: Values = Values::Checked(|text| number_from(0, text).map(|_| ()));

    fn read(text: &str) -> Result<u32, WrongValue> {
        number_from(0, text)
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// A type of a number that users may leave open, with the smallest that they may choose.
macro_rules! number_or_default {
    ($type:ident, $smallest:literal) => {
        impl SettingValue for $type {
            const VALUES: Values = Values::Checked(|text| $type::read(text).map(|_| ()));

            fn read(text: &str) -> Result<Self, WrongValue> {
                number_from($smallest, text).map(|number| $type(Some(number)))
            }

            fn text(&self) -> Option<String> {
                self.0.map(|number| number.to_string())
            }
        }
    };
}
pub(crate) use number_or_default;

/// A number that is not below the smallest one.
pub(crate) fn number_from(smallest: u32, text: &str) -> Result<u32, WrongValue> {
    let number: i64 =
        text.parse().map_err(|error: std::num::ParseIntError| WrongValue(error.to_string()))?;
    let number_or_none = u32::try_from(number).ok().filter(|number| *number >= smallest);
    number_or_none
        .ok_or_else(|| WrongValue(format!("{number} is not in {smallest}..={}", u32::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_what_is_wrong_with_it() {
        let wrong = |smallest, text| number_from(smallest, text).expect_err(text).to_string();
        assert_eq!(number_from(32, "32"), Ok(32));
        assert_eq!(wrong(32, "3"), "3 is not in 32..=4294967295");
        assert_eq!(wrong(0, "-1"), "-1 is not in 0..=4294967295");
        assert_eq!(wrong(0, "4294967296"), "4294967296 is not in 0..=4294967295");
        assert_eq!(wrong(0, "x"), "invalid digit found in string");
    }

    #[test]
    fn every_setting_of_every_detector_reads_its_own_text() {
        let mut settings = crate::Settings::default();
        let mut flags = 0;
        for (detector, group) in crate::Settings::default().groups() {
            for setting in group.all() {
                flags += 1;
                let Some(text) = group.text(setting) else { continue };
                let changed = settings.group_mut(detector).expect("its group");
                assert_eq!(changed.set(setting, &text), Ok(()), "{}", setting.flag(detector));
                assert!(changed.set(setting, "neither this nor that").is_err());
                assert!(!setting.help.trim().is_empty());
            }
        }
        assert_eq!(settings, crate::Settings::default());
        assert_eq!(flags, 19);
    }
}
