use crate::{ReservedShared, Special};

/// The special register of this name.
pub(super) fn special(name: &str) -> Option<Special> {
    if name == "WARP_SZ" {
        return Some(Special::WarpSize);
    }
    if let Some((register, suffix)) = name.split_once('.') {
        let dimension = ["x", "y", "z", "w"].iter().position(|known| *known == suffix)?;
        // A launch has three dimensions; the fourth is there and says nothing.
        return match (of_dimension(register)?, dimension as u8) {
            (_, 3) => Some(Special::Zero),
            (special, dimension) => Some(special(dimension)),
        };
    }
    let known = warpsan_ptx::table::special_register(name)?;
    let number = || {
        let digits: String = name.chars().filter(char::is_ascii_digit).take(2).collect();
        digits.parse::<u8>().ok()
    };
    Some(match known.name {
        "%laneid" => Special::Laneid,
        "%warpid" => Special::Warpid,
        "%nwarpid" => Special::Nwarpid,
        "%smid" => Special::Smid,
        "%nsmid" => Special::Nsmid,
        "%gridid" => Special::Gridid,
        "%is_explicit_cluster" => Special::IsExplicitCluster,
        "%cluster_ctarank" => Special::ClusterCtarank,
        "%cluster_nctarank" => Special::ClusterNctarank,
        "%lanemask_eq" => Special::LanemaskEq,
        "%lanemask_le" => Special::LanemaskLe,
        "%lanemask_lt" => Special::LanemaskLt,
        "%lanemask_ge" => Special::LanemaskGe,
        "%lanemask_gt" => Special::LanemaskGt,
        "%clock" => Special::Clock,
        "%clock_hi" => Special::ClockHigh,
        "%clock64" => Special::Clock64,
        "%globaltimer" => Special::Globaltimer,
        "%globaltimer_lo" => Special::GlobaltimerLow,
        "%globaltimer_hi" => Special::GlobaltimerHigh,
        "%envreg#" => Special::Environment(number()?),
        "%reserved_smem_offset_begin" => Special::ReservedShared(ReservedShared::Begin),
        "%reserved_smem_offset_end" => Special::ReservedShared(ReservedShared::End),
        "%reserved_smem_offset_cap" => Special::ReservedShared(ReservedShared::Cap),
        "%reserved_smem_offset_#" => Special::ReservedShared(ReservedShared::Offset(number()?)),
        "%total_smem_size" => Special::TotalSharedSize,
        "%aggr_smem_size" => Special::AggregateSharedSize,
        "%dynamic_smem_size" => Special::DynamicSharedSize,
        // Nothing counts here, and no launch belongs to a graph that device code may change.
        "%pm#" | "%pm#_64" | "%current_graph_exec" => Special::Zero,
        _ => return None,
    })
}

/// The special registers with dimensions.
pub(super) fn of_dimension(name: &str) -> Option<fn(u8) -> Special> {
    Some(match name {
        "%tid" => Special::Tid,
        "%ntid" => Special::Ntid,
        "%ctaid" => Special::Ctaid,
        "%nctaid" => Special::Nctaid,
        "%clusterid" => Special::ClusterId,
        "%nclusterid" => Special::NumberOfClusters,
        "%cluster_ctaid" => Special::ClusterCtaid,
        "%cluster_nctaid" => Special::ClusterNctaid,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_register_of_the_table_has_a_meaning() {
        for register in warpsan_ptx::table::SPECIAL_REGISTERS {
            let name = register.name.replace('#', "1");
            let name = if register.components { format!("{name}.y") } else { name };
            assert!(special(&name).is_some(), "{name}");
        }
        assert_eq!(special("%envreg31"), Some(Special::Environment(31)));
        assert_eq!(special("%tid.w"), Some(Special::Zero));
        assert_eq!(special("%tid.q"), None);
        assert_eq!(special("%pm3_64"), Some(Special::Zero));
    }
}
