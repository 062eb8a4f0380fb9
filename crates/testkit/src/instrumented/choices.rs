//! What is asked of the checks of a device.

use warpsan_detect::iguard::IguardSettings;
use warpsan_instrument::{DevicePlan, Entries, MetadataPlan, Shape, options};

use warpsan_suite::Program;

/// Which checks, and the settings that the host's detector gets as well.
#[derive(Debug, Clone, Copy)]
pub struct Choices {
    /// What instrumented kernels do.
    pub plan: DevicePlan,
    /// What iGUARD's are to do.
    pub iguard: IguardSettings,
}

impl Choices {
    /// These checks, as the flags of a program want them. Flags that are not about iGUARD are not looked at.
    pub fn of(program: &Program, plan: DevicePlan) -> Choices {
        let mut iguard = IguardSettings::default();
        for flag in &program.flags {
            match flag.split_once('=') {
                Some(("--iguard-coalescing", value)) => iguard.coalescing = value != "off",
                Some(("--iguard-sharing", value)) => iguard.sharing = value != "off",
                Some(("--iguard-granularity", value)) => {
                    iguard.granularity = choice(value).unwrap_or(iguard.granularity);
                }
                Some(("--iguard-history", value)) => {
                    iguard.history = choice(value).unwrap_or(iguard.history);
                }
                _ => {}
            }
        }
        Choices { plan, iguard }.with_their_metadata()
    }

    /// The same with another granularity and history.
    pub fn with(self, granularity: u8, history: u8) -> Choices {
        let IguardSettings { granularity: usual, history: usual_history, .. } = self.iguard;
        let iguard = IguardSettings {
            granularity: granularity.try_into().unwrap_or(usual),
            history: history.try_into().unwrap_or(usual_history),
            ..self.iguard
        };
        Choices { iguard, ..self }.with_their_metadata()
    }

    /// The plan's metadata is of the shape that iGUARD's settings want.
    fn with_their_metadata(self) -> Choices {
        let DevicePlan::Metadata(asked) = self.plan else { return self };
        let metadata = match asked.entries {
            Entries::Usual => MetadataPlan::of(self.shape()),
            Entries::General(_) => MetadataPlan::general(self.shape()),
        };
        let plan =
            DevicePlan::Metadata(if asked.is_ordered { metadata.ordered() } else { metadata });
        Choices { plan, ..self }
    }

    /// What entries of the metadata are for.
    fn shape(&self) -> Shape {
        Shape::new(self.iguard.granularity.into(), self.iguard.history.into())
    }

    /// The options of a launch.
    pub fn options(&self) -> u32 {
        let coalescing = if self.iguard.coalescing { 0 } else { options::NO_COALESCING };
        let sharing = if self.iguard.sharing { 0 } else { options::NO_SHARING };
        coalescing | sharing
    }
}

fn choice<C: TryFrom<u8>>(text: &str) -> Option<C> {
    text.parse::<u8>().ok().and_then(|number| C::try_from(number).ok())
}
