//! Environments, headings, lists and statements.

use super::Reader;
use super::commands::Face;
use super::flow::{DEEPEST, Flow, Stop, Until};
use super::numbers::Kind;
use super::token::Name;
use crate::papers::parse::document::{Block, Heading, Inline, List, Statement, TroubleKind};

/// A kind of statement that the paper defines.
#[derive(Debug, Clone)]
pub(super) struct Theorem {
    title: Vec<Inline>,
    counter: Option<String>,
}

impl Reader {
    pub(super) fn environment(&mut self, flow: &mut Flow, name: Name) {
        let text = self.gullet.pool.text(name);
        if self.preamble {
            if &*text == "document" {
                self.preamble = false;
                flow.clear();
            } else {
                flow.open(Some(name));
            }
            return;
        }
        if self.depth >= DEEPEST {
            self.trouble(TroubleKind::NotUnderstood, "environments are nested deeper than they are read");
            return flow.open(Some(name));
        }
        if self.equation_environment(flow, name, &text) {
            return;
        }
        match text.trim_end_matches('*') {
            "abstract" => {
                let blocks = self.inside(name);
                self.document.summary.extend(blocks);
            }
            "keywords" | "keyword" => {
                let blocks = self.inside(name);
                let line = super::flow::flattened(blocks);
                self.add_keywords(&line);
            }
            "itemize" | "enumerate" | "description" | "compactitem" | "compactenum" | "inparaenum" | "inparaitem"
            | "list" | "asparaenum" | "asparaitem" | "tightitemize" | "tightenumerate" | "labeling" => {
                self.list(flow, name, &text)
            }
            "quote" | "quotation" | "verse" | "displayquote" | "epigraph" => {
                let blocks = self.inside(name);
                if !blocks.is_empty() {
                    flow.block(Block::Quote(blocks));
                }
            }
            "figure" | "wrapfigure" | "sidewaysfigure" | "SCfigure" | "floatingfigure" | "marginfigure"
            | "figurehere" | "subfigures" => {
                self.float(flow, name, &text, Kind::Figure);
            }
            "table" | "wraptable" | "sidewaystable" | "margintable" | "SCtable" | "tablehere" => {
                self.float(flow, name, &text, Kind::Table);
            }
            "subfigure" | "subtable" | "subcaptiongroup" => self.panel_environment(flow, name),
            "tabular" | "tabularx" | "tabulary" | "tabu" | "array" | "NiceTabular" | "tblr" | "tabularray"
            | "mytabular" => {
                self.tabular(flow, name, &text);
            }
            "longtable" | "supertabular" | "xtabular" | "longtabu" | "longtblr" => self.long_table(flow, name),
            "deluxetable" | "planotable" | "splitdeluxetable" => self.deluxe_table(flow, name),
            "tablenotes" => self.table_notes(flow, name),
            "thebibliography" | "references" => self.bibliography_list(flow, name),
            "proof" => {
                let title = self.gullet.optional().map(|tokens| self.inlines(tokens));
                let title = title.unwrap_or_else(|| vec![Inline::text("Proof")]);
                let content = self.inside(name);
                flow.block(Block::Statement(Statement { title, content, anchor: None }));
            }
            "acknowledgments" | "acknowledgements" | "acknowledgment" | "acknowledgement" | "ack" => {
                self.acknowledgements(flow);
                flow.open(Some(name));
            }
            "appendix" | "appendices" => {
                self.begin_appendix();
                flow.open(Some(name));
            }
            "subequations" | "mathletters" => self.subequations(flow, name),
            other => self.plain_environment(flow, name, other),
        }
    }

    /// Environments that only change how what is in them looks.
    fn plain_environment(&mut self, flow: &mut Flow, name: Name, text: &str) {
        if let Some(theorem) = self.theorems.get(text).cloned() {
            return self.statement(flow, name, text, &theorem);
        }
        let arguments = match text {
            "minipage" => "ooom",
            "multicols" | "spacing" | "otherlanguage" | "adjustbox" | "turn" | "rotate" | "resizebox" => "m",
            "adjustwidth" | "changemargin" | "interactive" | "CJK" | "scaletable" => "mm",
            "landscape"
            | "center"
            | "centering"
            | "flushleft"
            | "flushright"
            | "raggedright"
            | "raggedleft"
            | "document"
            | "titlepage"
            | "frontmatter"
            | "threeparttable"
            | "threeparttablex"
            | "measuredfigure"
            | "rotatetable"
            | "longrotatetable"
            | "trivlist"
            | "doublespace"
            | "singlespace"
            | "onehalfspace"
            | "singlespacing"
            | "doublespacing"
            | "widetext"
            | "sloppypar"
            | "samepage"
            | "ruledtabular"
            | "linenumbers"
            | "footnotesize"
            | "small"
            | "normalsize"
            | "scriptsize"
            | "tiny"
            | "large"
            | "Large"
            | "acronym"
            | "subappendices"
            | "tabbing"
            | "strip"
            | "rmfamily"
            | "internallinenumbers"
            | "savenotes"
            | "turnpage"
            | "refsection"
            | "refsegment"
            | "ThreePartTable"
            | "varwidth"
            | "fmffile"
            | "filecontents"
            | "bibunit"
            | "dataavailability"
            | "frame"
            | "nolinenumbers"
            | "hyphenrules"
            | "authblk"
            | "ruled" => "",
            "tcolorbox" | "mdframed" | "framed" | "shaded" | "boxedminipage" | "highlights" | "graphicalabstract"
            | "AIbox" => "o",
            "em" | "it" | "itshape" | "sl" => {
                flow.open(Some(name));
                return flow.face(Face::Italic, false);
            }
            "bf" | "bfseries" => {
                flow.open(Some(name));
                return flow.face(Face::Bold, false);
            }
            other => {
                self.trouble(TroubleKind::NotUnderstood, format!("the environment {other}"));
                "o"
            }
        };
        self.drop_arguments(arguments);
        if !flow.inline && matches!(text, "center" | "flushleft" | "flushright" | "minipage") {
            flow.flush();
        }
        flow.open(Some(name));
    }

    /// The blocks inside an environment, up to its end.
    pub(super) fn inside(&mut self, name: Name) -> Vec<Block> {
        let mut flow = Flow::default();
        self.inside_flow(&mut flow, name, None);
        flow.finish()
    }

    /// The same into a flow, which a command can end too.
    pub(super) fn inside_flow(&mut self, flow: &mut Flow, name: Name, mark: Option<Name>) -> Stop {
        let current = self.current;
        self.depth += 1;
        self.open.push(name);
        let stop = self.run(flow, Until { end: Some(name), mark });
        self.open.pop();
        self.depth -= 1;
        self.current = current;
        stop
    }

    fn subequations(&mut self, flow: &mut Flow, name: Name) {
        if self.counters.parts.is_some() {
            return flow.open(Some(name));
        }
        let number = self.step("equation");
        let target = self.target(Kind::Equation, number.clone());
        self.counters.parts = Some((number, 0));
        self.inside_flow(flow, name, None);
        self.counters.parts = None;
        // A label of the whole stands where its first part is.
        let first = self.targets.len();
        if target + 1 < first && self.targets.get(target).is_some_and(|target| target.label.is_some()) {
            flow.push(Inline::Anchor(super::finish::mark(target)));
        }
    }

    pub(super) fn section(&mut self, flow: &mut Flow, kind: &'static str) {
        let star = self.gullet.star();
        self.gullet.optional();
        let words = self.gullet.argument();
        if self.preamble {
            return;
        }
        self.end_sections(flow);
        let rung = match kind {
            "part" | "chapter" => 0,
            "section" => 1,
            "subsection" => 2,
            "subsubsection" => 3,
            "paragraph" => 4,
            _ => 5,
        };
        let deepest = if self.counters.knows("secnumdepth") { self.counters.value("secnumdepth") } else { 3 };
        let numbered = !star && rung <= deepest && kind != "part";
        let printed = if numbered { self.step(kind) } else { String::new() };
        let mut number = printed.clone();
        if numbered && self.class == super::Class::Revtex && rung > 1 {
            let section = self.number_of("section");
            let above = if rung > 2 { format!("{section} {}", self.number_of("subsection")) } else { section };
            number = format!("{above} {printed}");
        }
        let named = if self.counters.appendix && rung <= 3 { Kind::Appendix } else { Kind::Section };
        let target = self.target(named, number);
        let content = self.inlines(words);
        if let Some(target) = self.targets.get_mut(target) {
            target.words.clone_from(&content);
        }
        let level = u8::try_from(rung + i64::from(self.counters.chapters)).unwrap_or(1).clamp(1, 5);
        let number = Some(printed.trim_end_matches('.').to_owned()).filter(|number| !number.is_empty());
        if flow.inline {
            return flow.push(Inline::Strong(content));
        }
        flow.block(Block::Heading(Heading { level, number, content, anchor: Some(super::finish::mark(target)) }));
    }

    /// Ends what a new heading ends.
    pub(super) fn end_sections(&mut self, flow: &mut Flow) {
        flow.flush();
    }

    pub(super) fn acknowledgements(&mut self, flow: &mut Flow) {
        self.loose_heading(flow, "Acknowledgements");
    }

    fn loose_heading(&mut self, flow: &mut Flow, words: &str) {
        if !flow.inline && !self.preamble {
            let content = vec![Inline::text(words)];
            flow.block(Block::Heading(Heading { level: 1, number: None, content, anchor: None }));
        }
    }

    pub(super) fn software(&mut self, flow: &mut Flow) {
        self.named_paragraph(flow, "Software:");
    }

    pub(super) fn facilities(&mut self, flow: &mut Flow) {
        self.named_paragraph(flow, "Facilities:");
    }

    fn named_paragraph(&mut self, flow: &mut Flow, name: &str) {
        let content = self.gullet.argument();
        let mut content = self.inlines(content);
        if !content.is_empty() && !self.preamble {
            content.splice(0..0, [Inline::Strong(vec![Inline::text(name)]), Inline::text(" ")]).for_each(drop);
            flow.block(Block::Paragraph(content));
        }
    }

    fn list(&mut self, flow: &mut Flow, name: Name, text: &str) {
        self.gullet.optional();
        if text == "list" {
            self.drop_arguments("mm");
        }
        let numbered = text.contains("enum");
        let described = text.starts_with("description") || text == "labeling";
        let item = self.gullet.pool.name("item");
        let mut before = Flow::default();
        let mut stop = self.inside_flow(&mut before, name, Some(item));
        let before = before.finish();
        let mut items = Vec::new();
        let current = self.current;
        while stop == Stop::Mark {
            let label = self.gullet.optional().map(|tokens| self.inlines(tokens)).filter(|label| !label.is_empty());
            if numbered {
                let number = (items.len() + 1).to_string();
                self.target(Kind::Place, number);
            }
            let mut inner = Flow::default();
            stop = self.inside_flow(&mut inner, name, Some(item));
            let mut blocks = inner.finish();
            if let Some(label) = label {
                let label = if described { vec![Inline::Strong(label)] } else { label };
                let label = label.into_iter().chain([Inline::text(" ")]);
                match blocks.first_mut() {
                    Some(Block::Paragraph(first)) => first.splice(0..0, label).for_each(drop),
                    Some(_) | None => blocks.insert(0, Block::Paragraph(label.collect())),
                }
            }
            items.push(blocks);
        }
        self.current = current;
        flow.flush();
        flow.blocks.extend(before);
        if !items.is_empty() {
            flow.block(Block::List(List { start: numbered.then_some(1), items }));
        }
    }

    pub(super) fn stray_item(&mut self, flow: &mut Flow) {
        let label = self.gullet.optional().map(|tokens| self.inlines(tokens)).unwrap_or_default();
        flow.flush();
        if label.is_empty() {
            flow.text("• ");
        }
        label.into_iter().for_each(|inline| flow.push(inline));
        flow.text(" ");
    }

    pub(super) fn new_theorem(&mut self, _: &mut Flow) {
        let star = self.gullet.star();
        let name = self.gullet.argument();
        let name = self.gullet.words(name);
        let shared = self.gullet.optional().map(|tokens| self.gullet.words(tokens));
        let title = self.gullet.argument();
        let title = self.inlines(title);
        let within = self.gullet.optional().map(|tokens| self.gullet.words(tokens));
        let counter = shared.unwrap_or_else(|| name.clone());
        if let Some(within) = within {
            self.count_within(&counter, &within);
        }
        if self.theorems.len() < 500 {
            self.theorems.insert(name, Theorem { title, counter: (!star).then_some(counter) });
        }
    }

    fn statement(&mut self, flow: &mut Flow, name: Name, _: &str, theorem: &Theorem) {
        let note = self.gullet.optional().map(|tokens| self.inlines(tokens));
        let mut title = theorem.title.clone();
        let current = self.current;
        let mut anchor = None;
        if let Some(counter) = &theorem.counter {
            let number = self.step(counter);
            title.push(Inline::text(format!(" {number}")));
            let target = self.target(Kind::Statement, number);
            if let Some(target) = self.targets.get_mut(target) {
                target.words.clone_from(&theorem.title);
            }
            anchor = Some(super::finish::mark(target));
        }
        if let Some(note) = note {
            title.push(Inline::text(" ("));
            title.extend(note);
            title.push(Inline::text(")"));
        }
        let content = self.inside(name);
        self.current = current;
        flow.block(Block::Statement(Statement { title, content, anchor }));
    }
}
