//! The list of detectors. Another one is a module with a `SPECIFICATION`, and a line here.

use crate::curd::CurdSettings;
use crate::iguard::IguardSettings;
use crate::ld::LdSettings;
use crate::scord::ScordSettings;
use crate::specification::settings::{NoSettings, SettingGroup};
use crate::{Detector, DetectorId, Specification};
use serde::{Deserialize, Serialize};
use warpsan_report::Treatment;

/// Makes the list, and [`Settings`], which has a field for each detector.
macro_rules! detectors {
    ($($name:ident: $settings:ty,)+) => {
        /// All detectors; the first is the default.
        pub static ALL: [&Specification; NAMES.len()] = [$(&crate::$name::SPECIFICATION),+];

        /// Their names.
        pub const NAMES: [&str; [$(stringify!($name)),+].len()] = [$(stringify!($name)),+];

        /// What users can choose about verdicts.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Settings {
            /// The seed that reports name. The options of a run have it for all.
            #[serde(skip)]
            pub seed: u64,
            /// Two `fence.sc` that reach each other order what is around them as they executed.
            pub fence_sc_orders: bool,
            /// What to do with lanes that rely on lockstep.
            pub warp_sync: Treatment,
            /// What to do with volatile accesses that PTX allows and CUDA C++ does not.
            pub volatile: Treatment,
            /// What to do with unordered stores of the same bytes by several instructions or warps.
            pub same_value: Treatment,
            $(
                #[doc = concat!("What users can choose about `", stringify!($name), "`.")]
                pub $name: $settings,
            )+
        }

        impl Default for Settings {
            /// Those of the first detector.
            fn default() -> Settings {
                Settings {
                    seed: 0,
                    fence_sc_orders: false,
                    warp_sync: ALL[0].warp_sync,
                    volatile: Treatment::Warn,
                    same_value: Treatment::Warn,
                    $($name: Default::default(),)+
                }
            }
        }

        impl Settings {
            /// What users can choose about each detector, by its name.
            pub fn groups(&self) -> [(&'static str, &dyn SettingGroup); NAMES.len()] {
                [$((stringify!($name), &self.$name as &dyn SettingGroup)),+]
            }

            /// What users can choose about the detector of this name.
            pub fn group_mut(&mut self, name: &str) -> Option<&mut dyn SettingGroup> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}

detectors! {
    hb: NoSettings,
    iguard: IguardSettings,
    scord: ScordSettings,
    barracuda: NoSettings,
    curd: CurdSettings,
    ld: LdSettings,
    none: NoSettings,
}

impl Settings {
    /// The flags that give these settings of detectors again, each with a blank behind it: those that are not the
    /// default, and can change a verdict.
    pub fn flags_to_repeat(&self) -> String {
        let mut flags = String::new();
        let usual = Settings::default();
        for ((detector, group), (_, usual)) in self.groups().into_iter().zip(usual.groups()) {
            for setting in group.all().iter().filter(|setting| setting.changes_verdicts) {
                let text =
                    group.text(setting).filter(|text| usual.text(setting).as_ref() != Some(text));
                if let Some(text) = text {
                    flags.push_str(&format!("--{}={text} ", setting.flag(detector)));
                }
            }
        }
        flags
    }
}

/// The detector of this name.
pub fn by_name(name: &str, settings: Settings) -> Option<Box<dyn Detector>> {
    let id: DetectorId = name.parse().ok()?;
    Some((id.new)(settings))
}
