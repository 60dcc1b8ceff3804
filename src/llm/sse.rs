//! Server-sent events, read from a stream of bytes: the incremental decoder of the
//! [WHATWG standard](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
//!
//! [`Decoder::feed`] takes bytes wherever the network cut them and gives back the events that are complete; the result does
//! not depend on the cuts. Beyond the standard, [`Decoder::end`] gives back a last event whose blank line never came, since
//! several model servers leave it out, and the size of an event is bounded.

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// The `event:` field; empty when there was none.
    pub name: String,
    /// The `data:` lines, joined by line feeds.
    pub data: String,
}

/// An event or a line is larger than [`Decoder::LIMIT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {} MiB", Decoder::LIMIT >> 20)]
pub struct TooLarge;

/// Bytes in, events out.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The line that has no end yet; bytes, because a cut may fall inside a character.
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed now belongs to it.
    after_carriage_return: bool,
    /// A first line was read, so a byte order mark can no longer come.
    begun: bool,
    name: String,
    /// The data so far, when there was a `data:` line.
    data: Option<String>,
}

impl Decoder {
    /// How many bytes of an event are kept, and how many of a line.
    pub const LIMIT: usize = 8 << 20;

    /// A decoder at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads more of the stream.
    ///
    /// # Errors
    /// If a line or an event grows too large; the decoder is of no use afterwards.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_carriage_return) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.grow(bytes)?;
                break;
            };
            self.grow(&bytes[..end])?;
            self.after_carriage_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            events.extend(self.end_line()?);
        }
        Ok(events)
    }

    /// Ends the stream: what is still unfinished counts as a last event.
    ///
    /// # Errors
    /// If that event is too large.
    pub fn end(mut self) -> Result<Option<Event>, TooLarge> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        Ok(self.dispatch())
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        if self.line.len() + bytes.len() > Self::LIMIT {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Interprets the line that just ended; an empty one dispatches the event.
    fn end_line(&mut self) -> Result<Option<Event>, TooLarge> {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.begun, true) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let text = String::from_utf8_lossy(&line);
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add_data(value)?,
            "event" => value.clone_into(&mut self.name),
            // Comments (an empty field name), `id`, `retry` and whatever else: nothing a model's answer needs.
            _ => {}
        }
        Ok(None)
    }

    fn add_data(&mut self, value: &str) -> Result<(), TooLarge> {
        match &mut self.data {
            None => self.data = Some(value.to_owned()),
            Some(data) if data.len() + value.len() >= Self::LIMIT => return Err(TooLarge),
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
        }
        Ok(())
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        self.data.take().map(|data| Event { name, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
        let mut decoder = Decoder::new();
        let mut events = Vec::new();
        for part in parts {
            events.extend(decoder.feed(part).unwrap());
        }
        events.extend(decoder.end().unwrap());
        events
    }

    fn data(texts: &[&str]) -> Vec<Event> {
        texts.iter().map(|text| Event { name: String::new(), data: (*text).to_owned() }).collect()
    }

    #[rstest::rstest]
    #[case::blank_after_colon("data: x\n\n", &["x"])]
    #[case::no_blank("data:x\n\n", &["x"])]
    #[case::only_one_blank_goes("data:  x\n\n", &[" x"])]
    #[case::carriage_returns("data: a\r\rdata: b\r\r", &["a", "b"])]
    #[case::both("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"])]
    #[case::lines_are_joined("data: a\ndata:\ndata: b\n\n", &["a\n\nb"])]
    #[case::comments(": keep-alive\n\n: OPENROUTER PROCESSING\n\ndata: x\n\n", &["x"])]
    #[case::comment_inside("data: a\n: c\ndata: b\n\n", &["a\nb"])]
    #[case::other_fields("id: 1\nretry: 5\nnonsense\ndata: x\n\n", &["x"])]
    #[case::field_without_colon("data\n\n", &[""])]
    #[case::byte_order_mark("\u{feff}data: x\n\n", &["x"])]
    #[case::mark_later_is_text("data: \u{feff}x\n\n", &["\u{feff}x"])]
    #[case::no_blank_line_at_the_end("data: x\n\ndata: y\n", &["x", "y"])]
    #[case::no_line_end_at_all("data: x", &["x"])]
    #[case::blank_lines("\n\n\ndata: x\n\n\n\n", &["x"])]
    #[case::nothing("", &[])]
    fn reads(#[case] stream: &str, #[case] expected: &[&str]) {
        assert_eq!(decode([stream.as_bytes()]), data(expected));
    }

    #[test]
    fn the_name_belongs_to_one_event_only() {
        let events = decode([b"event: error\ndata: x\n\ndata: y\n\nevent: lost\n\ndata: z\n\n".as_slice()]);
        let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(names, ["error", "", ""]);
    }

    #[test]
    fn what_is_not_utf8_is_replaced() {
        assert_eq!(decode([b"data: a\xFFb\n\n".as_slice()]), data(&["a\u{FFFD}b"]));
    }

    #[test]
    fn an_endless_line_is_refused() {
        let mut decoder = Decoder::new();
        let block = vec![b'x'; Decoder::LIMIT];
        assert_eq!(decoder.feed(&block), Ok(vec![]));
        assert_eq!(decoder.feed(b"x"), Err(TooLarge));
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut decoder = Decoder::new();
        let line = [b"data: ".as_slice(), &vec![b'x'; Decoder::LIMIT / 2], b"\n"].concat();
        assert_eq!(decoder.feed(&line), Ok(vec![]));
        assert_eq!(decoder.feed(&line), Err(TooLarge));
    }

    proptest! {
        #[test]
        fn cuts_do_not_matter(stream in "(data|event|id|:|é|\u{feff}|[ x:]|\r|\n|\r\n){0,60}", cuts in prop::collection::vec(0_usize..200, 0..12)) {
            let bytes = stream.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < bytes.len()).collect();
            cuts.sort_unstable();
            let mut parts = Vec::new();
            let mut start = 0;
            for cut in cuts {
                parts.push(&bytes[start..cut]);
                start = cut;
            }
            parts.push(&bytes[start..]);
            prop_assert_eq!(decode(parts), decode([bytes]));
        }

        #[test]
        fn what_is_written_is_read(events in prop::collection::vec("[^\r\n]{0,20}(\n[^\r\n]{0,20}){0,3}", 0..8), ending in prop::sample::select(vec!["\n", "\r", "\r\n"])) {
            let mut stream = String::new();
            for event in &events {
                for line in event.split('\n') {
                    stream.push_str(&format!("data: {line}{ending}"));
                }
                stream.push_str(ending);
            }
            let texts: Vec<&str> = events.iter().map(String::as_str).collect();
            prop_assert_eq!(decode(stream.as_bytes().chunks(7)), data(&texts));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            decode([bytes.as_slice()]);
        }
    }
}
