//! Lists: sent as such, or as paragraphs with bullets.

use super::inline::{start, without_start};
use crate::papers::parse::document::{Block, Inline, List};

const BULLETS: [char; 9] = ['•', '◦', '▪', '●', '■', '·', '‣', '∙', '–'];

/// The bullet or the number that an item begins with: how many bytes it has, and the number.
fn mark(item: &[Inline]) -> Option<(usize, Option<u32>)> {
    let text = start(item);
    if let Some(bullet) = text.chars().next().filter(|first| BULLETS.contains(first)) {
        let rest = &text[bullet.len_utf8()..];
        return rest.starts_with(' ').then_some((bullet.len_utf8() + 1, None));
    }
    let open = usize::from(text.starts_with('('));
    let digits = text[open..].bytes().take_while(u8::is_ascii_digit).count();
    let end = open + digits;
    let close = text[end..].starts_with(") ") || (open == 0 && text[end..].starts_with(". "));
    let number = text[open..end].parse().ok().filter(|_| digits <= 3 && close)?;
    Some((end + 2, Some(number)))
}

/// A list of these items. It is numbered when their numbers follow one another.
pub(super) fn list(items: Vec<Vec<Inline>>) -> List {
    let marks: Vec<Option<(usize, Option<u32>)>> = items.iter().map(|item| mark(item)).collect();
    let first = marks.first().copied().flatten().and_then(|(_, number)| number);
    let follows = |first: u32| {
        marks.iter().zip(first..).all(|(mark, expected)| mark.and_then(|(_, number)| number) == Some(expected))
    };
    let start = first.filter(|first| follows(*first));
    let items = items.into_iter().zip(marks).map(|(item, mark)| {
        let item = match mark {
            Some((bytes, None)) => without_start(item, bytes),
            Some((bytes, Some(_))) if start.is_some() => without_start(item, bytes),
            // Numbers that do not count stay words.
            Some(_) | None => item,
        };
        vec![Block::Paragraph(item)]
    });
    List { start, items: items.collect() }
}

/// Makes one list of paragraphs that begin with bullets and follow one another.
pub(super) fn gather(blocks: &mut Vec<Block>) {
    let bullet = |block: &Block| matches!(block, Block::Paragraph(content) if matches!(mark(content), Some((_, None))));
    let mut out: Vec<Block> = Vec::with_capacity(blocks.len());
    let mut items: Vec<Vec<Inline>> = Vec::new();
    for block in std::mem::take(blocks) {
        if bullet(&block) {
            if let Block::Paragraph(content) = block {
                items.push(content);
            }
            continue;
        }
        if !items.is_empty() {
            out.push(Block::List(list(std::mem::take(&mut items))));
        }
        out.push(block);
    }
    if !items.is_empty() {
        out.push(Block::List(list(items)));
    }
    *blocks = out;
}
