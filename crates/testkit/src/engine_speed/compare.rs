//! Whether two results are the same.

/// What the elements of a result are, and how much they may differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Elements {
    /// Whole numbers of 32 bits, which have to be equal.
    U32,
    /// `f32` whose difference may be this part of the value, or of the mean magnitude where the value is smaller:
    /// sums cancel, and the kernel contracts and approximates where the host does not.
    F32 {
        /// The part.
        tolerance: f64,
    },
}

/// The first difference in words, if there is one.
pub(crate) fn difference(engine: &[u8], native: &[u8], elements: Elements) -> Option<String> {
    if engine.len() != native.len() {
        return Some(format!(
            "the engine's result has {} bytes, g++'s has {}",
            engine.len(),
            native.len()
        ));
    }
    let message = |index: usize, one: &dyn std::fmt::Display, other: &dyn std::fmt::Display| {
        format!("element {index} is {one} on the engine and {other} in g++'s result")
    };
    match elements {
        Elements::U32 => {
            let (engine, native) = (words(engine), words(native));
            let index = engine.iter().zip(&native).position(|(one, other)| one != other)?;
            Some(message(index, &engine[index], &native[index]))
        }
        Elements::F32 { tolerance } => {
            let floats =
                |bytes| words(bytes).into_iter().map(|word| f64::from(f32::from_bits(word)));
            let (engine, native): (Vec<f64>, Vec<f64>) =
                (floats(engine).collect(), floats(native).collect());
            let magnitude = native.iter().map(|value| value.abs()).sum::<f64>();
            let mean = magnitude / native.len().max(1) as f64;
            // Not a number is near nothing.
            let is_near = |(one, other): (&f64, &f64)| {
                (one - other).abs() <= tolerance * other.abs().max(mean)
            };
            let index = engine.iter().zip(&native).position(|pair| !is_near(pair))?;
            Some(message(index, &engine[index], &native[index]))
        }
    }
}

/// The 32-bit words of a buffer.
pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn whole_numbers_have_to_be_equal() {
        let one = [1, 0, 0, 0, 2, 0, 0, 0];
        let mut other = one;
        assert_eq!(difference(&one, &other, Elements::U32), None);
        other[4] = 3;
        let message = difference(&one, &other, Elements::U32).unwrap();
        assert!(message.contains("element 1 is 2 on the engine and 3"), "{message}");
        assert!(difference(&one, &other[..4], Elements::U32).unwrap().contains("8 bytes"));
    }

    #[test]
    fn floats_may_differ_by_the_tolerance() {
        let native = bytes_of(&[100.0, -100.0, 0.0]);
        let elements = Elements::F32 { tolerance: 1e-4 };
        let differs = |values: &[f32]| difference(&bytes_of(values), &native, elements).is_some();
        assert!(!differs(&[100.005, -100.005, 0.005]));
        assert!(differs(&[100.02, -100.0, 0.0]));
        assert!(differs(&[100.0, -100.0, 0.02]));
        assert!(differs(&[f32::NAN, -100.0, 0.0]));
    }
}
