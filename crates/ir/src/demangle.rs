use cpp_demangle::{DemangleOptions, Symbol};

/// A symbol as the programmer wrote it, without parameters; the symbol itself if it is not mangled.
pub fn display_name(symbol: &str) -> String {
    // Without the prefix, `f` would be read as the mangled name of the type `float`.
    if !symbol.starts_with("_Z") {
        return symbol.to_string();
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    let name = Symbol::new(symbol)
        .ok()
        .and_then(|parsed| parsed.demangle(&options).ok())
        .unwrap_or_else(|| symbol.to_string());
    without_internal_namespace(&name)
}

/// nvcc puts functions with internal linkage into a made-up namespace `_INTERNAL_…`.
fn without_internal_namespace(name: &str) -> String {
    match (name.find("_INTERNAL_"), name.find("::")) {
        (Some(0), Some(end)) => name[end + 2..].to_string(),
        _ => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_written() {
        assert_eq!(display_name("_Z6reducePKfPfi"), "reduce");
        assert_eq!(display_name("_Z4fillIiEvPT_"), "fill<int>");
        assert_eq!(
            display_name("_ZN34_INTERNAL_b51ce050_4_a_cu_587774ad9atomicAddEPjj"),
            "atomicAdd"
        );
        assert_eq!(display_name("plain_c_name"), "plain_c_name");
    }
}
