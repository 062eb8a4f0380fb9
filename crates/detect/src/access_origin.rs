//! Who makes an access, as reports have it.

use warpsan_event::{Site, SiteOrigin};
use warpsan_report::AccessOrigin;

/// The origin of what a site does.
pub(crate) fn access_origin(site: &Site) -> AccessOrigin {
    let origin = match site.origin() {
        SiteOrigin::Kernel => AccessOrigin::Kernel,
        SiteOrigin::ApiCall => AccessOrigin::ApiCall,
        SiteOrigin::Host => AccessOrigin::Host,
    };
    debug_assert_eq!(origin, AccessOrigin::of_stored(&site.instruction, site.ptx_line));
    origin
}
