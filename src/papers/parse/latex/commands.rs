//! What the commands of LaTeX and of the journals' classes mean in text.
//!
//! A command that is not here, and that the paper does not define, is kept as source text and counted. What may be dropped
//! without a loss is listed by name.

use super::flow::Flow;
use super::{Reader, symbols};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A change of the font.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Face {
    /// Italics, or what stands out from them.
    Italic,
    /// Bold.
    Bold,
    /// Of equal width.
    Mono,
    /// Neither bold nor italic.
    Normal,
    /// Not italic.
    Upright,
    /// Not bold.
    Medium,
    /// Small capitals.
    Capitals,
    /// Something that has no meaning here: sizes.
    Keep,
}

/// How a citation is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cite {
    /// As the style does.
    Plain,
    /// `(Smith 2019)`
    Parenthesis,
    /// `Smith (2019)`
    Text,
    /// `Smith 2019`
    Alone,
    /// `Smith 2019` without the comma.
    AloneText,
    /// `Smith`
    Author,
    /// `2019`
    Year,
    /// `(2019)`
    YearParenthesis,
    /// The other name that the paper gives an entry.
    Alias,
    /// The same in parentheses.
    AliasParenthesis,
}

/// How a reference to a label is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refer {
    /// `3`
    Number,
    /// `(3)`
    Equation,
    /// `Section 3`
    Named,
    /// `section 3`
    NamedLow,
    /// The words of a heading.
    Title,
}

/// What a command means.
#[derive(Clone, Copy)]
pub(super) enum Command {
    /// Nothing, together with these arguments: `m` in braces, `o` in brackets, `*` a star, `d` a length, `=` an assignment.
    Drop(&'static str),
    /// This text.
    Word(&'static str),
    /// This text, and this TeX inside a formula.
    Sign(&'static str, &'static str),
    /// An accent on what follows.
    Accent(char),
    /// A font until the group ends.
    Font(Face),
    /// A font for the argument.
    Fonted(Face),
    /// A heading.
    Section(&'static str),
    /// A citation.
    Cite(Cite),
    /// A reference to a label.
    Refer(Refer),
    /// Whatever the function does.
    Do(Action),
}

/// What a command means; nothing for one that is unknown.
pub(super) fn lookup(name: &str) -> Option<Command> {
    TABLE.get(name).copied()
}

/// Whether the reader knows a command.
pub(super) fn is_known(name: &str) -> bool {
    TABLE.contains_key(name) || is_primitive(name)
}

/// Whether a command carries structure, so that a paper that redefines it only changes how it looks.
pub(super) fn is_structural(name: &str) -> bool {
    if FREE.contains(&name) {
        return false;
    }
    match TABLE.get(name) {
        Some(Command::Section(_) | Command::Cite(_) | Command::Refer(_) | Command::Do(_)) => true,
        Some(
            Command::Drop(_)
            | Command::Word(_)
            | Command::Sign(..)
            | Command::Accent(_)
            | Command::Font(_)
            | Command::Fonted(_),
        )
        | None => is_primitive(name),
    }
}

/// Commands of single classes and packages whose names papers also give to macros of their own.
const FREE: [&str; 44] = [
    "fig",
    "leftfig",
    "rightfig",
    "boxedfig",
    "unit",
    "num",
    "si",
    "SI",
    "qty",
    "edit",
    "object",
    "objectname",
    "software",
    "facility",
    "facilities",
    "anchor",
    "added",
    "deleted",
    "replaced",
    "explain",
    "ce",
    "nl",
    "sp",
    "sb",
    "ack",
    "symbol",
    "subject",
    "path",
    "mail",
    "journal",
    "keyword",
    "tmark",
    "tnote",
    "thead",
    "translation",
    "dataset",
    "fullref",
    "subref",
    "thref",
    "revised",
    "published",
    "panel",
    "Eprint",
    "and",
];

fn is_primitive(name: &str) -> bool {
    matches!(
        name,
        "begin"
            | "end"
            | "def"
            | "newcommand"
            | "renewcommand"
            | "providecommand"
            | "let"
            | "input"
            | "include"
            | "relax"
            | "csname"
            | "endcsname"
            | "fi"
            | "else"
            | "protect"
            | "ensuremath"
            | "newenvironment"
            | "renewenvironment"
            | "newif"
            | "makeatletter"
            | "makeatother"
            | "expandafter"
            | "global"
            | "long"
    )
}

/// Environments that the reader knows, which a paper's own definition does not change.
pub(super) fn is_environment(name: &str) -> bool {
    ENVIRONMENTS.contains(&name.trim_end_matches('*'))
}

const ENVIRONMENTS: [&str; 70] = [
    "document",
    "abstract",
    "figure",
    "table",
    "tabular",
    "tabularx",
    "longtable",
    "deluxetable",
    "equation",
    "align",
    "eqnarray",
    "gather",
    "multline",
    "flalign",
    "alignat",
    "displaymath",
    "math",
    "subequations",
    "itemize",
    "enumerate",
    "description",
    "quote",
    "quotation",
    "verse",
    "center",
    "thebibliography",
    "proof",
    "verbatim",
    "lstlisting",
    "algorithm",
    "algorithmic",
    "minipage",
    "subfigure",
    "keywords",
    "sidewaystable",
    "sidewaysfigure",
    "acknowledgments",
    "acknowledgements",
    "acknowledgement",
    "acknowledgment",
    "appendix",
    "appendices",
    "threeparttable",
    "tablenotes",
    "references",
    "flushleft",
    "flushright",
    "small",
    "footnotesize",
    "landscape",
    "rotatetable",
    "list",
    "trivlist",
    "wrapfigure",
    "wraptable",
    "cases",
    "split",
    "aligned",
    "array",
    "matrix",
    "pmatrix",
    "bmatrix",
    "dmath",
    "dgroup",
    "interactive",
    "titlepage",
    "frontmatter",
    "tabbing",
    "subtable",
    "ack",
];

static TABLE: LazyLock<HashMap<&'static str, Command>> = LazyLock::new(|| {
    let mut table: HashMap<&'static str, Command> = HashMap::new();
    for (arguments, names) in DROPPED {
        table.extend(names.split_ascii_whitespace().map(|name| (name, Command::Drop(arguments))));
    }
    table.extend(symbols::WORDS.iter().map(|(name, word)| (*name, Command::Word(word))));
    table.extend(symbols::JOURNALS.iter().map(|(name, word)| (*name, Command::Word(word))));
    table.extend(symbols::SIGNS.iter().map(|(name, text, math)| (*name, Command::Sign(text, math))));
    table.extend(symbols::ACCENTS.iter().map(|(name, mark)| (*name, Command::Accent(*mark))));
    for (face, names) in FONTS {
        table.extend(names.split_ascii_whitespace().map(|name| (name, Command::Font(face))));
    }
    for (face, names) in FONTED {
        table.extend(names.split_ascii_whitespace().map(|name| (name, Command::Fonted(face))));
    }
    for name in ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"] {
        table.insert(name, Command::Section(name));
    }
    for (cite, names) in CITES {
        table.extend(names.split_ascii_whitespace().map(|name| (name, Command::Cite(cite))));
    }
    for (refer, names) in REFERS {
        table.extend(names.split_ascii_whitespace().map(|name| (name, Command::Refer(refer))));
    }
    for (name, action) in ACTIONS {
        table.insert(name, Command::Do(*action));
    }
    table
});

const FONTS: [(Face, &str); 8] = [
    (Face::Capitals, "sc scshape"),
    (Face::Italic, "it em sl itshape slshape"),
    (Face::Bold, "bf bfseries boldmath"),
    (Face::Mono, "tt ttfamily"),
    (Face::Normal, "rm normalfont rmfamily sf sffamily"),
    (Face::Upright, "upshape"),
    (Face::Medium, "mdseries unboldmath"),
    (
        Face::Keep,
        "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge centering raggedright \
         raggedleft sloppy fussy singlespacing doublespacing onehalfspacing frenchspacing nonfrenchspacing smaller larger \
         tabletypesize rmdefault",
    ),
];

const FONTED: [(Face, &str); 7] = [
    (Face::Capitals, "textsc"),
    (Face::Italic, "emph textit textsl"),
    (Face::Bold, "textbf"),
    (Face::Mono, "texttt"),
    (Face::Normal, "textrm textnormal textsf"),
    (Face::Upright, "textup"),
    (
        Face::Keep,
        "textmd mbox hbox text fbox framebox underline uline ul sout uppercase MakeUppercase MakeTextUppercase \
         lowercase MakeLowercase uwave hl   centerline leftline rightline llap rlap  \
         textlf textosf  bibnamefont bibfnamefont citenamefont citename    ",
    ),
];

const CITES: [(Cite, &str); 10] = [
    (Cite::Plain, "cite onlinecite autocite"),
    (Cite::Parenthesis, "citep parencite Citep autocites footcite parencites"),
    (Cite::Text, "citet textcite Citet cites textcites"),
    (Cite::Alone, "citealp Citealp"),
    (Cite::AloneText, "citealt Citealt"),
    (Cite::Author, "citeauthor Citeauthor citeauthors"),
    (Cite::Year, "citeyear citeyearNP citenum citedate"),
    (Cite::YearParenthesis, "citeyearpar"),
    (Cite::Alias, "citetalias"),
    (Cite::AliasParenthesis, "citepalias"),
];

const REFERS: [(Refer, &str); 5] = [
    (Refer::Number, "ref pageref vref Vref labelcref cpageref subref "),
    (Refer::Equation, "eqref"),
    (Refer::Named, "autoref Cref Autoref fullref"),
    (Refer::NamedLow, "cref"),
    (Refer::Title, "nameref"),
];

/// Commands that do not show in a text, with their arguments.
const DROPPED: [(&str, &str); 14] = [
    (
        "",
        "noindent indent clearpage newpage  cleardoublepage maketitle vfill hfill hfil vfil bigskip medskip smallskip \
         / - ! @ null sloppypar protect  noalign samepage balance onecolumn twocolumn onecolumngrid \
         twocolumngrid flushbottom raggedbottom nolinenumbers linenumbers allowbreak strut mathstrut  filbreak \
         goodbreak listoffigures listoftables tableofcontents printindex makeindex FloatBarrier newblock BibitemOpen \
          rotate  suppressAffiliations   ignorespaces unskip ignorespacesafterend \
         nonumber notag displaystyle textstyle scriptstyle limits nolimits  firstsection obeylines obeyspaces \
         startlongtable pagewiselinenumbers     phn phd phs phm \
         bibpreamble bibpostamble frontmatter mainmatter backmatter noaffiliation  tighten eject  \
         hss vss nobreak makeatletter makeatother tightenlines draft narrowtext widetext mediumtext   \
         reset@font  aftergroup         hrulefill \
         dotfill arraybackslash    maketitlesupplementary    decimals \
         decimalcolnumbers colnumbers singlespace doublespace thesaurusname lastpagefootnotes normalem  keywordname \
         figsetstart figsetend figsetgrpstart figsetgrpend bsp EOS hrule vrule acronymused flushleft flushright appendixpage appendixtocon",
    ),
    ("d", "vskip hskip kern mkern mskip penalty hangindent hangafter  raise lower moveleft moveright"),
    (
        "=",
        "parindent parskip baselineskip textwidth textheight topmargin oddsidemargin evensidemargin tabcolsep arraycolsep \
         hoffset voffset columnsep headheight headsep footskip hsize vsize itemsep parsep topsep leftmargin \
         abovecaptionskip belowcaptionskip abovedisplayskip belowdisplayskip abovedisplayshortskip belowdisplayshortskip \
         floatsep textfloatsep intextsep dbltextfloatsep dblfloatsep tolerance pretolerance hbadness vbadness \
         emergencystretch clubpenalty widowpenalty looseness interfootnotelinepenalty lineskip lineskiplimit \
         displaywidowpenalty pdfoutput pdfminorversion extrarowheight itemindent labelsep labelwidth partopsep doublerulesep \
         arrayrulewidth exhyphenpenalty hyphenpenalty hfuzz vfuzz marginparwidth marginparsep pageno mathsurround bibsep \
         LTcapwidth LTleft LTright skip fboxsep fboxrule  overfullrule brokenpenalty predisplaypenalty \
         postdisplaypenalty jot footnotesep topskip maxdepth",
    ),
    (
        "m",
        "pagestyle thispagestyle bibliographystyle phantom hphantom vphantom color usetikzlibrary hypersetup  \
         pagenumbering shorttitle shortauthors titlerunning authorrunning lefthead righthead tablewidth tablecolumns \
         epsscale  slugcomment   newlength newsavebox newtoks newcount newdimen newskip \
         newbox   sisetup lstset DeclareGraphicsExtensions urlstyle linespread \
         hyphenation index    pubyear  pagerange  watermark \
         setwatermarkfontsize  editorinfo sfcode specialcomment excludecomment includecomment tablefontsize \
         tabcaptionsep  theoremstyle usefonttheme selectlanguage foreignlanguage setstretch leftmargini \
           offprints headnote  idline thesaurus     \
          enlargethispage typeout message includeonly newread newwrite listfiles setdefaultlanguage \
         setmainfont      eprintclass   \
         BibitemShut bibAnnoteFile     acrodefused \
          figsetnum figsetgrpnum  hyperbaseurl wideitem resumeitem  ",
    ),
    (
        "mm",
        "setlength addtolength settowidth settoheight setkeys lstdefinestyle fontsize bibAnnote   \
        addtocontents markboth     floatname  DeclareCaptionFont \
            setbeamertemplate \
              ",
    ),
    (
        "mmm",
        "definecolor addcontentsline   resizebox setmathalphabet crefname  \
          ",
    ),
    ("*m", "vspace hspace"),
    ("*", " "),
    (
        "om",
        "usepackage RequirePackage documentclass documentstyle  captionsetup setlist todo missingfigure \
          bookmark fancyhead fancyfoot includepdf LoadClass usetheme SetWatermarkText pdfbookmark \
        savebox usebox marginpar  graphicsPath setmonofont setsansfont setmathfont",
    ),
    ("omm", "rule  newsubfloat"),
    ("o", "pagebreak nopagebreak linebreak nolinebreak allowdisplaybreaks displaybreak modulolinenumbers listoftodos"),
    ("mo", "textcolor raisebox colorbox scalebox"),
    ("oom", "parbox"),
    ("", "rotatebox"),
];

macro_rules! actions {
    ($($name:literal => $action:path),* $(,)?) => { &[$(($name, $action as Action)),*] };
}

/// What a command of [`ACTIONS`] does.
type Action = fn(&mut Reader, &mut Flow);

const ACTIONS: &[(&str, Action)] = actions! {
    "par" => Reader::end_paragraph, "romannumeral" => Reader::roman_number, "@slowromancap" => Reader::roman_capitals, "@secondoftwo" => Reader::second, "@firstoftwo" => Reader::first, "href@noop" => Reader::second, "endgraf" => Reader::end_paragraph, "\\" => Reader::break_line,
    "newline" => Reader::break_line,
    "nl" => Reader::break_line, "markcite" => Reader::nothing_of_one, "placefigure" => Reader::nothing_of_one,
    "placetable" => Reader::nothing_of_one, "linebreak" => Reader::break_line, "tabularnewline" => Reader::break_line, "cr" => Reader::break_line,
    "begingroup" => Reader::open_group, "bgroup" => Reader::open_group, "endgroup" => Reader::close_group,
    "egroup" => Reader::close_group, "xspace" => Reader::xspace, "ensuremath" => Reader::ensure_math,
    "url" => Reader::url, "nolinkurl" => Reader::plain_url, "path" => Reader::url, "href" => Reader::href, "Eprint" => Reader::href,
    "email" => Reader::email, "mail" => Reader::email, "doi" => Reader::doi, "eprint" => Reader::eprint, "arxiv" => Reader::eprint,
    "adsurl" => Reader::drop_link, "bibinfo" => Reader::second, "bibfield" => Reader::second, "texorpdfstring" => Reader::first,
    "translation" => Reader::pass, "natexlab" => Reader::pass, "makecell" => Reader::cell_lines, "shortstack" => Reader::cell_lines,
    "thead" => Reader::cell_lines, "enquote" => Reader::enquote, "citeauthoryear" => Reader::cite_author_year,
    "astroncite" => Reader::cite_author_year, "harvardyearleft" => Reader::open_parenthesis,
    "harvardyearright" => Reader::close_parenthesis, "textsuperscript" => Reader::superscript,
    "textsubscript" => Reader::subscript, "sp" => Reader::superscript, "sb" => Reader::subscript,
    "altaffilmark" => Reader::superscript, "inst" => Reader::superscript, "tablenotemark" => Reader::superscript,
    "tablefootmark" => Reader::superscript, "tnote" => Reader::superscript, "tmark" => Reader::superscript,
    "ion" => Reader::ion, "SI" => Reader::quantity, "qty" => Reader::quantity, "num" => Reader::number, "si" => Reader::unit, "unit" => Reader::unit,
    "(" => Reader::inline_math, "[" => Reader::display_math, ")" => Reader::stray, "]" => Reader::stray,
    "footnote" => Reader::footnote, "tablefootnote" => Reader::footnote, "thanks" => Reader::footnote,
    "footnotemark" => Reader::footnote_mark, "footnotetext" => Reader::footnote_text,
    "label" => Reader::label, "hypertarget" => Reader::hyper_target, "hyperlink" => Reader::hyper_link, "hyperref" => Reader::hyper_reference,
    "nocite" => Reader::nocite, "defcitealias" => Reader::cite_alias, "citetext" => Reader::cite_text,
    "bibpunct" => Reader::punctuation, "setcitestyle" => Reader::cite_style, "citestyle" => Reader::cite_style,
    "bibitem" => Reader::stray_bibitem, "bibliography" => Reader::bibliography_here, "printbibliography" => Reader::bibliography_here,
    "addbibresource" => Reader::add_bib, "bibcommenthead" => Reader::nothing,
    "usepackage" => Reader::use_package, "RequirePackage" => Reader::use_package, "documentclass" => Reader::document_class,
    "documentstyle" => Reader::document_class,
    "title" => Reader::title, "author" => Reader::author, "affil" => Reader::affiliation, "affiliation" => Reader::affiliation,
    "address" => Reader::affiliation, "institute" => Reader::affiliation, "institution" => Reader::affiliation,
    "altaffiliation" => Reader::other_affiliation, "altaffiltext" => Reader::marked_affiliation,
    "collaboration" => Reader::collaboration, "correspondingauthor" => Reader::corresponding, "and" => Reader::and,
    "And" => Reader::and, "AND" => Reader::and, "orcid" => Reader::orcid, "orcidlink" => Reader::orcid, "orcidID" => Reader::orcid, "orcidicon" => Reader::orcid,
    "abstract" => Reader::abstract_command, "abstracts" => Reader::abstract_command, "keywords" => Reader::keywords,
    "keyword" => Reader::keywords, "subjectheadings" => Reader::keywords, "pacs" => Reader::keywords, "date" => Reader::date, "received" => Reader::received,
    "accepted" => Reader::accepted, "revised" => Reader::revised, "published" => Reader::published, "submitjournal" => Reader::journal, "journal" => Reader::journal, "subtitle" => Reader::subtitle,
    "dedication" => Reader::paragraph_of, "subject" => Reader::nothing_of_one, "preprint" => Reader::nothing_of_one,
    "collaborator" => Reader::pass, "reportnum" => Reader::nothing_of_one,
    "appendix" => Reader::appendix, "appendices" => Reader::appendix, "restartappendixnumbering" => Reader::restart_appendix,
    "acknowledgements" => Reader::acknowledgements, "acknowledgments" => Reader::acknowledgements, "acknowledgement" => Reader::acknowledgements,
    "acknowledgment" => Reader::acknowledgements, "ack" => Reader::acknowledgements, "software" => Reader::software, "facilities" => Reader::facilities, "facility" => Reader::facilities,
    "setcounter" => Reader::set_counter, "addtocounter" => Reader::add_to_counter, "stepcounter" => Reader::step_counter,
    "refstepcounter" => Reader::step_counter, "numberwithin" => Reader::number_within, "counterwithin" => Reader::number_within,
    "newcounter" => Reader::new_counter, "arabic" => Reader::arabic, "Alph" => Reader::alph_upper, "alph" => Reader::alph,
    "Roman" => Reader::roman_upper, "roman" => Reader::roman, "value" => Reader::arabic,
    "newtheorem" => Reader::new_theorem, "newmdtheoremenv" => Reader::new_theorem, "qed" => Reader::nothing, "qedhere" => Reader::nothing, "qedsymbol" => Reader::nothing,
    "caption" => Reader::caption, "captionof" => Reader::caption_of, "figcaption" => Reader::figure_caption, "subcaption" => Reader::caption, "tablecaption" => Reader::caption, "topcaption" => Reader::caption, "bicaption" => Reader::caption,
    "includegraphics" => Reader::include_graphics, "plotone" => Reader::plot_one, "plottwo" => Reader::plot_two,
    "plotfiddle" => Reader::plot_fiddle, "epsfbox" => Reader::include_graphics, "epsffile" => Reader::include_graphics, "psfig" => Reader::keyed_image, "epsfig" => Reader::keyed_image,
    "subfigure" => Reader::panel, "subfloat" => Reader::panel, "subcaptionbox" => Reader::caption_box, "gridline" => Reader::pass, "fig" => Reader::grid_figure,
    "leftfig" => Reader::grid_figure, "rightfig" => Reader::grid_figure, "boxedfig" => Reader::grid_figure, "figurenum" => Reader::figure_number, "tablenum" => Reader::figure_number, "graphicspath" => Reader::graphics_path,
    "figsetplot" => Reader::plot_one, "figsettitle" => Reader::paragraph_of, "figsetgrptitle" => Reader::paragraph_of, "figsetgrpnote" => Reader::paragraph_of, "sidecaption" => Reader::nothing,
    "animategraphics" => Reader::animation, "overpic" => Reader::include_graphics, "input@path" => Reader::nothing_of_one,
    "tablehead" => Reader::table_head, "startdata" => Reader::start_data, "tablecomments" => Reader::table_note,
    "tablerefs" => Reader::table_references, "tablenotetext" => Reader::marked_note, "tablefoot" => Reader::table_note, "tablefoottext" => Reader::marked_note,
    "tablebib" => Reader::table_references, "nodata" => Reader::no_data, "enddata" => Reader::nothing,
    "colhead" => Reader::pass, "nocolhead" => Reader::pass, "multicolumn" => Reader::loose_multicolumn, "multirow" => Reader::loose_multirow,
    "hline" => Reader::nothing, "toprule" => Reader::rule_command, "midrule" => Reader::rule_command, "bottomrule" => Reader::rule_command, "cline" => Reader::nothing_of_one,
    "cmidrule" => Reader::rule_command, "item" => Reader::stray_item, "verbatiminput" => Reader::listing_file, "lstinputlisting" => Reader::listing_file,
    "setlength" => Reader::set_length, "addtolength" => Reader::set_length, "crefname" => Reader::nothing_of_three, "Crefname" => Reader::nothing_of_three,
    "newcolumntype" => Reader::column_type, "AtBeginDocument" => Reader::pass, "AtEndDocument" => Reader::nothing_of_one,
    "ce" => Reader::chemistry, "today" => Reader::nothing, "symbol" => Reader::symbol, "char" => Reader::symbol_number, "bibsection" => Reader::nothing,
    "added" => Reader::pass_with_option, "deleted" => Reader::deleted, "replaced" => Reader::replaced, "edit" => Reader::second, "explain" => Reader::nothing_of_one,
    "object" => Reader::pass_with_option, "objectname" => Reader::pass_with_option, "dataset" => Reader::pass_with_option, "anchor" => Reader::anchored, "tag" => Reader::nothing_of_one,
    "thepage" => Reader::nothing, "thefootnote" => Reader::nothing, "thempfootnote" => Reader::nothing,
};
