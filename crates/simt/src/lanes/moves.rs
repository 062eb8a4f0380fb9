use super::{LaneFn, Maker};

/// Copies registers of so many rows.
pub(crate) fn copy(maker: Maker, rows: u8) -> LaneFn {
    // Copying costs no more for all lanes than for one.
    let maker = Maker { uniform: false, ..maker };
    match rows {
        1 => maker.one(|a: u32| a),
        2 => maker.one(|a: u64| a),
        _ => maker.costly_one(|a: u128| a),
    }
}
