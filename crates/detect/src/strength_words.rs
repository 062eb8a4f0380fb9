//! How strong an access is, in words.

use warpsan_model::{Order, Strength};

/// What reports say about the strength of an access.
pub(crate) fn strength_in_words(strength: Strength) -> String {
    match strength {
        Strength::Weak => "weak".to_string(),
        Strength::Volatile => "volatile".to_string(),
        Strength::Strong { order, scope } => {
            let order = match order {
                Order::Relaxed => "relaxed",
                Order::Acquire => "acquire",
                Order::Release => "release",
                Order::AcqRel => "acquire-release",
                Order::SeqCst => "sequentially consistent",
            };
            format!("{order}, {scope} scope")
        }
    }
}
