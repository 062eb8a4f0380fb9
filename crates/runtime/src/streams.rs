//! Which launches come after which.

use std::collections::HashMap;
use warpsan_model::LaunchId;

/// The last launches, stream by stream. The default stream waits for all others, and they for it.
#[derive(Debug, Default)]
pub(crate) struct StreamOrder {
    /// The last launch of the default stream.
    last_of_default: Option<LaunchId>,
    /// The last launch of each other stream since then.
    last_of_stream: HashMap<u32, LaunchId>,
}

impl StreamOrder {
    /// Takes note of a launch. Gives the launches that it directly follows, unless it is simply
    /// after everything before it.
    pub(crate) fn launch(
        &mut self,
        launch: LaunchId,
        stream: Option<u32>,
    ) -> Option<Vec<LaunchId>> {
        let Some(stream) = stream else {
            self.last_of_stream.clear();
            self.last_of_default = Some(launch);
            return None;
        };
        let own = self.last_of_stream.insert(stream, launch);
        if self.last_of_stream.len() == 1 {
            return None;
        }
        // The stream's own last launch comes after that of the default stream.
        Some(own.or(self.last_of_default).into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_have_no_order_among_them_and_the_default_stream_orders_all() {
        let mut order = StreamOrder::default();
        let mut number = 0;
        let mut launch = |stream: Option<u32>| {
            let after = order.launch(LaunchId(number), stream);
            number += 1;
            after.map(|after| after.iter().map(|launch| launch.0).collect::<Vec<_>>())
        };
        assert_eq!(launch(Some(1)), None, "nothing is before it");
        assert_eq!(launch(Some(2)), Some(vec![]));
        assert_eq!(launch(Some(1)), Some(vec![0]));
        assert_eq!(launch(None), None);
        assert_eq!(launch(Some(1)), None);
        assert_eq!(launch(Some(1)), None, "all that is before it is in order");
        assert_eq!(launch(Some(2)), Some(vec![3]));
        assert_eq!(launch(Some(2)), Some(vec![6]));
        assert_eq!(launch(Some(1)), Some(vec![5]));
    }
}
