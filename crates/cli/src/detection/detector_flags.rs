//! The flags that only one detector knows, made from the settings that its specification declares.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command, Error, FromArgMatches};
use warpsan_detect::Settings;
use warpsan_detect::specification::settings::{Setting, Values};

/// The settings of all detectors, as the flags say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DetectorFlags(pub(super) Settings);

impl clap::Args for DetectorFlags {
    fn augment_args(mut command: Command) -> Command {
        for (detector, group) in Settings::default().groups() {
            for setting in group.all() {
                command = command.arg(flag(detector, setting, group.text(setting)));
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        DetectorFlags::augment_args(command)
    }
}

fn flag(detector: &str, setting: &Setting, default: Option<String>) -> Arg {
    let name = setting.flag(detector);
    let flag = Arg::new(name.clone())
        .long(name)
        .value_name(setting.value_name)
        .help(setting.help.trim())
        .help_heading(format!("The detector {detector}"));
    let flag = match setting.values {
        Values::Words(words) => {
            let value =
                |(word, help): &(&'static str, &'static str)| PossibleValue::new(*word).help(*help);
            flag.value_parser(PossibleValuesParser::new(words.iter().map(value)))
        }
        Values::Checked(check) => {
            flag.value_parser(move |text: &str| check(text).map(|()| text.to_owned()))
        }
    };
    match default {
        Some(default) => flag.default_value(default),
        None => flag,
    }
}

impl FromArgMatches for DetectorFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut flags = DetectorFlags::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for (detector, group) in Settings::default().groups() {
            for setting in group.all() {
                let Some(text) = matches.get_one::<String>(&setting.flag(detector)) else {
                    continue;
                };
                if let Some(group) = self.0.group_mut(detector) {
                    group
                        .set(setting, text)
                        .map_err(|error| Error::raw(ErrorKind::ValueValidation, error))?;
                }
            }
        }
        Ok(())
    }
}
