//! Figures, and what figures and tables have in common: captions.

use super::Reader;
use super::flow::Flow;
use super::numbers::{Kind, Target};
use super::symbols::letter;
use super::token::{Name, Token};
use crate::papers::parse::document::{Block, Figure, Image, Inline, Row, Table, TroubleKind};

/// A float that is being read.
#[derive(Debug, Default)]
pub(super) struct Float {
    /// Whether it is a table.
    pub table: bool,
    /// Whether it is a part of another one.
    pub panel: bool,
    /// What its labels name, once it has a caption.
    pub target: Option<usize>,
    /// Labels before the caption.
    pub labels: Vec<String>,
    /// Its captions.
    pub captions: Vec<Caption>,
    /// Its images.
    pub images: Vec<Image>,
    /// Floats inside it.
    pub panels: Vec<Figure>,
    /// Notes below a table.
    pub notes: Vec<Vec<Inline>>,
    /// Rows of a table that is read in pieces.
    pub rows: Vec<Row>,
    /// Its columns.
    pub columns: Vec<super::tabular::Column>,
    /// The number that it is given by hand.
    pub number: Option<String>,
}

/// A caption.
#[derive(Debug)]
pub(super) struct Caption {
    label: Option<String>,
    content: Vec<Inline>,
    target: usize,
    images: usize,
}

impl Reader {
    pub(super) fn float(&mut self, flow: &mut Flow, name: Name, text: &str, kind: Kind) {
        self.gullet.optional();
        if text.starts_with("wrap") || text.starts_with("floating") {
            self.drop_arguments("mom");
        }
        self.gullet.optional();
        self.floats.push(Float { table: kind == Kind::Table, ..Float::default() });
        let blocks = self.inside(name);
        self.end_float(flow, blocks);
    }

    /// Makes blocks of the innermost float and of what it has around its images.
    pub(super) fn end_float(&mut self, flow: &mut Flow, blocks: Vec<Block>) {
        let Some(mut float) = self.floats.pop() else { return };
        let current = self.current;
        if float.captions.is_empty() && !float.labels.is_empty() {
            let kind = if float.table { Kind::Table } else { Kind::Figure };
            let target = self.target(kind, String::new());
            std::mem::take(&mut float.labels).into_iter().for_each(|key| self.name_target(target, key));
            float.captions.push(Caption { label: None, content: Vec::new(), target, images: 0 });
        }
        self.current = current;
        let mut captions = std::mem::take(&mut float.captions).into_iter();
        let mut rest = Vec::new();
        let mut out: Vec<Block> = Vec::new();
        let pictures = !float.images.is_empty() || !float.panels.is_empty();
        for block in blocks {
            match block {
                Block::Table(mut table) if float.table || !pictures => {
                    if table.label.is_none()
                        && table.caption.is_empty()
                        && let Some(caption) = captions.next()
                    {
                        table.label = caption.label;
                        table.caption = caption.content;
                        table.anchor = Some(super::finish::mark(caption.target));
                    }
                    out.push(Block::Table(table));
                }
                Block::Code(mut code) if !pictures && code.caption.is_empty() => {
                    if let Some(caption) = captions.next() {
                        code.label = caption.label;
                        code.caption = caption.content;
                        code.anchor = Some(super::finish::mark(caption.target));
                    }
                    out.push(Block::Code(code));
                }
                Block::Paragraph(content) if float.table => float.notes.push(content),
                other @ (Block::Table(_)
                | Block::Code(_)
                | Block::Paragraph(_)
                | Block::Heading(_)
                | Block::Equation(_)
                | Block::List(_)
                | Block::Quote(_)
                | Block::Figure(_)
                | Block::Statement(_)
                | Block::Page(_)
                | Block::Source(_)) => rest.push(other),
            }
        }
        let mut images = std::mem::take(&mut float.images).into_iter();
        let mut taken = 0;
        let mut left = captions.len();
        for caption in captions {
            left -= 1;
            let count = if left == 0 { usize::MAX } else { caption.images.saturating_sub(taken) };
            let mine: Vec<Image> = images.by_ref().take(count).collect();
            taken += mine.len();
            let panels = if left == 0 { std::mem::take(&mut float.panels) } else { Vec::new() };
            let anchor = Some(super::finish::mark(caption.target));
            let bare = mine.is_empty() && panels.is_empty();
            if float.table && bare {
                out.push(Block::Table(Table {
                    label: caption.label,
                    caption: caption.content,
                    anchor,
                    ..Table::default()
                }));
            } else {
                let (label, caption) = (caption.label, caption.content);
                out.push(Block::Figure(Figure { label, caption, images: mine, panels, anchor }));
            }
        }
        let images: Vec<Image> = images.collect();
        if !images.is_empty() || !float.panels.is_empty() {
            out.push(Block::Figure(Figure { images, panels: float.panels, ..Figure::default() }));
        }
        if let Some(Block::Table(last)) = out.iter_mut().rev().find(|block| matches!(block, Block::Table(_))) {
            last.notes.append(&mut float.notes);
        }
        rest.extend(float.notes.into_iter().map(Block::Paragraph));
        flow.flush();
        flow.blocks.extend(out);
        flow.blocks.extend(rest);
    }

    pub(super) fn caption(&mut self, flow: &mut Flow) {
        let star = self.gullet.star();
        self.gullet.optional();
        let words = self.gullet.argument();
        match self.floats.last() {
            Some(float) => {
                let table = float.table;
                self.add_caption(words, table, star);
            }
            None => {
                let content = self.inlines(words);
                if !content.is_empty() && !self.preamble {
                    flow.block(Block::Paragraph(content));
                }
            }
        }
    }

    /// Gives the innermost float a caption, with its number.
    fn add_caption(&mut self, words: Vec<Token>, table: bool, bare: bool) {
        let (name, kind) = if table { ("Table", Kind::Table) } else { ("Figure", Kind::Figure) };
        let counter = if table { "table" } else { "figure" };
        let panel = self.floats.last().is_some_and(|float| float.panel);
        let given = self.floats.last_mut().and_then(|float| float.number.take());
        let (label, target) = if panel {
            let letter = self.panel_letter();
            let number = format!("{}{letter}", self.outer_number());
            (Some(format!("({letter})")), self.target(kind, number))
        } else if bare {
            (None, self.target(kind, String::new()))
        } else {
            let number = given.unwrap_or_else(|| self.step(counter));
            (Some(format!("{name} {number}")), self.target(kind, number))
        };
        let labels = match self.floats.last_mut() {
            Some(float) => {
                float.target = Some(target);
                std::mem::take(&mut float.labels)
            }
            None => Vec::new(),
        };
        labels.into_iter().for_each(|key| self.name_target(target, key));
        let content = self.inlines(words);
        if let Some(float) = self.floats.last_mut() {
            let images = float.images.len();
            float.captions.push(Caption { label, content, target, images });
        }
    }

    fn panel_letter(&self) -> String {
        let above = self.floats.iter().rev().nth(1).map_or(0, |outer| outer.panels.len());
        letter(i64::try_from(above).unwrap_or(0) + 1).to_lowercase()
    }

    /// The number of the float around a panel, which may only come after it.
    fn outer_number(&mut self) -> String {
        let outer = self.floats.iter().rev().nth(1);
        if let Some(Target { number, .. }) = outer.and_then(|outer| outer.target).and_then(|at| self.targets.get(at)) {
            return number.clone();
        }
        let counter = if outer.is_some_and(|outer| outer.table) { "table" } else { "figure" };
        self.next_number(counter)
    }

    pub(super) fn caption_of(&mut self, flow: &mut Flow) {
        let star = self.gullet.star();
        let kind = self.gullet.argument();
        let table = self.gullet.words(kind) == "table";
        self.gullet.optional();
        let words = self.gullet.argument();
        if self.floats.is_empty() {
            self.floats.push(Float { table, ..Float::default() });
            self.add_caption(words, table, star);
            let alone = match flow.blocks.last() {
                Some(Block::Figure(figure)) => !table && figure.label.is_none() && flow.at_start(),
                Some(Block::Table(shown)) => table && shown.label.is_none() && flow.at_start(),
                Some(_) | None => false,
            };
            let mut blocks = Vec::new();
            if alone && let Some(last) = flow.blocks.pop() {
                if let Block::Figure(figure) = last {
                    if let Some(float) = self.floats.last_mut() {
                        float.images = figure.images;
                        float.panels = figure.panels;
                    }
                } else {
                    blocks.push(last);
                }
            }
            let current = self.current;
            self.end_float(flow, blocks);
            // Its label stands behind it.
            self.current = self.targets.len().checked_sub(1).or(current);
        } else {
            self.add_caption(words, table, star);
        }
    }

    /// `\figcaption[file]{words}`, alone or in a figure.
    pub(super) fn figure_caption(&mut self, flow: &mut Flow) {
        let file = self.gullet.optional();
        let words = self.gullet.argument();
        let alone = self.floats.is_empty();
        if alone {
            self.floats.push(Float::default());
        }
        if let Some(file) = file {
            self.add_image(flow, file);
        }
        self.add_caption(words, false, false);
        if alone {
            self.end_float(flow, Vec::new());
        }
    }

    pub(super) fn figure_number(&mut self, _: &mut Flow) {
        let number = self.gullet.argument();
        let number = self.words(number);
        if let Some(float) = self.floats.last_mut() {
            float.number = Some(number).filter(|number| !number.is_empty());
        }
    }

    pub(super) fn graphics_path(&mut self, _: &mut Flow) {
        let folders = self.gullet.argument();
        let source = self.gullet.pool.source(&folders);
        self.graphics
            .extend(source.split(['{', '}']).map(str::trim).filter(|one| !one.is_empty()).take(50).map(str::to_owned));
    }

    pub(super) fn include_graphics(&mut self, flow: &mut Flow) {
        self.gullet.star();
        self.gullet.optional();
        self.gullet.optional();
        let file = self.gullet.argument();
        self.add_image(flow, file);
    }

    fn add_image(&mut self, flow: &mut Flow, file: Vec<Token>) {
        let name = self.address(file);
        let name = name.trim_matches('"').trim().to_owned();
        if name.is_empty() || self.preamble {
            return;
        }
        let found = self.gullet.files.image(&self.graphics, &name);
        if found.is_none() && self.gullet.files.archive {
            self.trouble(TroubleKind::Missing, format!("the image {name} is not in the archive"));
        }
        let image = Image { location: found.unwrap_or(name), ..Image::default() };
        match self.floats.last_mut() {
            Some(float) if float.images.contains(&image) => {}
            Some(float) => float.images.push(image),
            None => flow.block(Block::Figure(Figure { images: vec![image], ..Figure::default() })),
        }
    }

    pub(super) fn plot_one(&mut self, flow: &mut Flow) {
        let file = self.gullet.argument();
        self.add_image(flow, file);
    }

    pub(super) fn plot_two(&mut self, flow: &mut Flow) {
        self.plot_one(flow);
        self.plot_one(flow);
    }

    pub(super) fn plot_fiddle(&mut self, flow: &mut Flow) {
        self.plot_one(flow);
        self.drop_arguments("mmmmmmm");
    }

    pub(super) fn animation(&mut self, flow: &mut Flow) {
        self.drop_arguments("om");
        self.plot_one(flow);
        self.drop_arguments("mm");
    }

    /// `\psfig{file=x.ps,width=8cm}`
    pub(super) fn keyed_image(&mut self, flow: &mut Flow) {
        let given = self.gullet.argument();
        let source = self.gullet.words(given);
        let file = source
            .split(',')
            .filter_map(|one| one.split_once('='))
            .find(|(key, _)| matches!(key.trim(), "file" | "figure"));
        let file = file.map_or(source.as_str(), |(_, file)| file).trim().to_owned();
        self.add_image(flow, file.chars().map(Token::Char).collect());
    }

    /// `\subfloat[caption]{content}` and its kin.
    pub(super) fn panel(&mut self, flow: &mut Flow) {
        let first = self.gullet.optional();
        let caption = self.gullet.optional().or(first);
        let content = self.gullet.argument();
        self.panel_of(flow, caption, content);
    }

    pub(super) fn caption_box(&mut self, flow: &mut Flow) {
        self.gullet.star();
        let caption = self.gullet.argument();
        self.drop_arguments("oo");
        let content = self.gullet.argument();
        self.panel_of(flow, Some(caption), content);
    }

    /// `\fig{file}{width}{caption}` in a grid of the AAS.
    pub(super) fn grid_figure(&mut self, flow: &mut Flow) {
        let file = self.gullet.argument();
        self.gullet.argument();
        let caption = self.gullet.argument();
        if self.words(caption.clone()).is_empty() {
            return self.add_image(flow, file);
        }
        self.begin_panel();
        self.add_image(flow, file);
        self.add_caption(caption, false, true);
        // The authors write the letter themselves.
        if let Some(caption) = self.floats.last_mut().and_then(|float| float.captions.last_mut()) {
            caption.label = None;
        }
        self.end_panel(flow, Vec::new());
    }

    fn panel_of(&mut self, flow: &mut Flow, caption: Option<Vec<Token>>, content: Vec<Token>) {
        let current = self.current;
        self.begin_panel();
        if let Some(caption) = caption {
            self.add_caption(caption, false, false);
        }
        let blocks = self.blocks(content);
        self.end_panel(flow, blocks);
        self.current = current;
    }

    pub(super) fn panel_environment(&mut self, flow: &mut Flow, name: Name) {
        self.drop_arguments("oom");
        self.begin_panel();
        let blocks = self.inside(name);
        self.end_panel(flow, blocks);
    }

    fn begin_panel(&mut self) {
        let table = self.floats.last().is_some_and(|outer| outer.table);
        self.floats.push(Float { panel: true, table, ..Float::default() });
    }

    fn end_panel(&mut self, flow: &mut Flow, blocks: Vec<Block>) {
        let mut inner = Flow::default();
        self.end_float(&mut inner, blocks);
        for block in inner.finish() {
            match (block, self.floats.last_mut()) {
                (Block::Figure(figure), Some(outer)) => outer.panels.push(figure),
                (block, _) => flow.block(block),
            }
        }
    }
}
