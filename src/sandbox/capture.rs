//! Keeping the beginning and the end of an output, however long it is.

use std::collections::VecDeque;

/// An output of which the beginning and the end are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// Bytes that are kept of either end.
    half: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// Bytes in all.
    total: u64,
}

impl Captured {
    /// Nothing yet; at most `kept` bytes will be kept.
    #[must_use]
    pub fn new(kept: usize) -> Self {
        Self { half: kept / 2, ..Self::default() }
    }

    /// Takes more of it.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.half)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// Bytes in all, kept or not.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What is kept as text; bytes that are no UTF-8 become `�`, and a line says how much is left out.
    #[must_use]
    pub fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let left_out = self.total - self.head.len() as u64 - tail.len() as u64;
        if left_out == 0 {
            // In one piece: a character may lie across the middle.
            return String::from_utf8_lossy(&[self.head.as_slice(), &tail].concat()).into_owned();
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        format!("{head}\n… [{left_out} bytes of output are left out] …\n{tail}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn both_ends_are_kept(pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..20)) {
            let mut captured = Captured::new(32);
            pieces.iter().for_each(|piece| captured.push(piece));
            let whole = pieces.concat();
            prop_assert_eq!(captured.total(), whole.len() as u64);
            prop_assert_eq!(&captured.head, &whole[..whole.len().min(16)]);
            let kept: Vec<u8> = captured.tail.iter().copied().collect();
            prop_assert!(kept.len() <= 16 && whole.ends_with(&kept));
            if whole.len() <= 32 {
                prop_assert_eq!(captured.text(), String::from_utf8_lossy(&whole));
            } else {
                let left_out = format!("[{} bytes", whole.len() - 32);
                prop_assert!(captured.text().contains(&left_out));
            }
        }
    }
}
