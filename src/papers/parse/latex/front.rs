//! What stands before the text, authors aside.

use super::flow::{Flow, flattened};
use super::lines::words_of;
use super::{Class, Reader};
use crate::papers::parse::document::{Block, Inline};

impl Reader {
    pub(super) fn title(&mut self, _: &mut Flow) {
        self.gullet.optional();
        let words = self.gullet.argument();
        let title = self.inlines(words);
        let title: Vec<Inline> =
            title.into_iter().map(|inline| if inline == Inline::Break { Inline::text(" ") } else { inline }).collect();
        if self.document.front.title.is_empty() {
            self.document.front.title = super::flow::tidy(title);
        }
    }

    pub(super) fn subtitle(&mut self, _: &mut Flow) {
        let words = self.gullet.argument();
        let words = self.inlines(words);
        if !words.is_empty() && !self.document.front.title.is_empty() {
            self.document.front.title.push(Inline::text(": "));
            self.document.front.title.extend(words);
        }
    }

    /// `\abstract{...}`, which has five arguments in Astronomy & Astrophysics.
    pub(super) fn abstract_command(&mut self, _: &mut Flow) {
        const NAMES: [&str; 5] = ["Context.", "Aims.", "Methods.", "Results.", "Conclusions."];
        let first = self.gullet.argument();
        let mut parts = vec![first];
        if self.class == Class::Aa {
            while let (true, Some(part)) = (parts.len() < 5, self.gullet.braced()) {
                parts.push(part);
            }
        }
        let structured = parts.len() == 5;
        let mut out = Vec::new();
        for (name, part) in NAMES.into_iter().zip(parts) {
            let mut blocks = self.blocks(part);
            let alone = out.is_empty() && !structured;
            if let (false, Some(Block::Paragraph(first))) = (alone, blocks.first_mut())
                && structured
            {
                first.splice(0..0, [Inline::Strong(vec![Inline::text(name)]), Inline::text(" ")]).for_each(drop);
            }
            out.extend(blocks);
        }
        self.document.summary.extend(out);
    }

    pub(super) fn keywords(&mut self, _: &mut Flow) {
        self.gullet.optional();
        let words = self.gullet.argument();
        let blocks = self.blocks(words);
        let line = flattened(blocks);
        self.add_keywords(&line);
    }

    /// Keywords between dashes, semicolons, or else commas.
    pub(super) fn add_keywords(&mut self, line: &[Inline]) {
        let text = words_of(line).replace('\u{1}', ";");
        let text = text.trim_end_matches('.');
        let dashed = text.contains(" – ") || text.contains('—') || text.contains(" - ") || text.contains('–');
        let text = text.replace(" - ", "–");
        let words: Vec<&str> = if dashed {
            text.split(['–', '—', ';']).collect()
        } else if text.contains([';', '·', '•']) {
            text.split([';', '·', '•']).collect()
        } else {
            text.split(',').collect()
        };
        let words = words.into_iter().map(str::trim).filter(|word| !word.is_empty()).take(200);
        self.document.front.keywords.extend(words.map(str::to_owned));
    }

    fn words_argument(&mut self) -> String {
        self.gullet.optional();
        let words = self.gullet.argument();
        self.words(words)
    }

    pub(super) fn date(&mut self, _: &mut Flow) {
        let date = self.words_argument();
        if !date.is_empty() {
            self.document.front.date = Some(date);
        }
    }

    fn dated(&mut self, what: &str) {
        let date = self.words_argument();
        if date.is_empty() {
            return;
        }
        let date = if date.to_lowercase().contains(&what.to_lowercase()) { date } else { format!("{what} {date}") };
        match &mut self.document.front.date {
            Some(known) => {
                known.push_str("; ");
                known.push_str(&date);
            }
            None => self.document.front.date = Some(date),
        }
    }

    pub(super) fn received(&mut self, _: &mut Flow) {
        self.dated("Received");
    }

    pub(super) fn accepted(&mut self, _: &mut Flow) {
        self.dated("Accepted");
    }

    pub(super) fn revised(&mut self, _: &mut Flow) {
        self.dated("Revised");
    }

    pub(super) fn published(&mut self, _: &mut Flow) {
        self.dated("Published");
    }

    pub(super) fn journal(&mut self, _: &mut Flow) {
        let journal = self.words_argument();
        if !journal.is_empty() {
            self.document.front.journal = Some(journal);
        }
    }
}
