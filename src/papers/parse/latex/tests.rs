use super::archive::Limits;
use super::*;
use crate::papers::parse::document::{Author, Block, Inline, plain};
use crate::papers::parse::markdown;
use flate2::Compression;
use flate2::write::GzEncoder;
use rstest::rstest;
use std::io::Write;

mod hostile;
mod papers;

/// A tar with these texts.
fn tar(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append_data(&mut header, path, text.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A paper of a class around a body.
fn paper(class: &str, preamble: &str, body: &str) -> String {
    format!("\\documentclass{{{class}}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n")
}

fn read_body(body: &str) -> Document {
    read(paper("article", "", body).as_bytes()).unwrap()
}

fn markdown_of(body: &str) -> String {
    markdown::write(&read_body(body))
}

fn whats(document: &Document) -> Vec<&str> {
    document.troubles.iter().map(|trouble| trouble.what.as_str()).collect()
}

#[rstest]
#[case("a % comment\n   b", "a b")]
#[case("one\n\n% only a comment\ntwo", "one\n\ntwo")]
#[case(
    "``Quoted'' and `so', 1--2 --- 3~km, 50\\% \\& \\#1\\_x \\ldots{} \\S2",
    "“Quoted” and ‘so’, 1–2 — 3 km, 50% \\& \\#1\\_x … §2"
)]
#[case(
    "Erd\\H{o}s, Caf\\'e, na\\\"\\i{}ve, \\v{S}koda, \\c{c}a, \\AA, \\o re, stra\\ss e, \\~{n}",
    "Erdős, Café, naïve, Škoda, ça, Å, øre, straße, ñ"
)]
#[case(
    "{\\it all \\bf both} \\emph{a \\emph{b} c} \\textbf{d} \\texttt{e\\_f}",
    "*all* ***both*** *a* b *c* **d** `e_f`"
)]
#[case("Let $a<b$ and \\(c\\), H$_2$O.", "Let $a<b$ and $c$, H$_2$O.")]
#[case("10\\,km \\hspace{1cm}and\\vspace*{2pt} \\noindent so \\hskip 3pt plus 1fil on", "10 km and so on")]
#[case(
    "\\url{http://a.b/c_d%20e#f} \\href{https://x.org/~y}{the \\emph{page}}",
    "[http://a.b/c\\_d%20e\\#f](<http://a.b/c_d%20e#f>) [the *page*](<https://x.org/~y>)"
)]
#[case("x\\textsuperscript{2} \\verb|a_b %|", "x<sup>2</sup> `a_b %`")]
#[case("\\textcolor{red}{red} \\mbox{box} \\raisebox{1pt}{up}", "red box up")]
#[case("\\unknown{kept} words", "`\\unknown`kept words")]
#[case("\\iffalse gone \\ifx a b c \\else d \\fi \\fi kept \\iftrue yes\\else no\\fi", "kept yes")]
#[case("A\\footnote{Note \\emph{one}.} b\\footnotemark{} c\\footnotetext{Two.}", "A[^1] b[^2] c")]
#[case("\\begin{itemize}\\item a\n\n\\item[x] b\\end{itemize}", "- a\n- x b")]
#[case(
    "\\begin{enumerate}\\item a \\begin{itemize}\\item c\\end{itemize}\\item b\\end{enumerate}",
    "1. a\n\n   - c\n2. b"
)]
#[case("\\begin{description}\\item[Key] value\\end{description}", "- **Key** value")]
#[case("\\begin{quote}Words.\\end{quote}", "> Words.")]
#[case("\\begin{verbatim}\na $b$ % c\n\\end{verbatim}", "```\na $b$ % c\n```")]
#[case("\\begin{lstlisting}[language=Python]\nx = {1}\n\\end{lstlisting}", "```python\nx = {1}\n```")]
#[case("\\begin{center}In the middle\\end{center}", "In the middle")]
fn text_is_read(#[case] body: &str, #[case] expected: &str) {
    let text = markdown_of(body);
    assert!(text.contains(expected), "{text}");
}

#[rstest]
#[case("\\newcommand{\\x}{letters}\\x{} \\x", "letters letters")]
#[case("\\newcommand\\x[2][no]{(#1, #2)}\\x{a} \\x[yes]{b}", "(no, a) (yes, b)")]
#[case("\\def\\pair#1#2{#2#1}\\pair ab \\pair{cd}{ef}", "ba efcd")]
#[case("\\def\\upto#1.{<#1>}\\upto here. there", "\\<here\\> there")]
#[case("\\providecommand{\\x}{a}\\providecommand{\\x}{b}\\x", "a")]
#[case("\\newcommand{\\x}{a}\\renewcommand{\\x}{b}\\let\\y=\\x\\renewcommand{\\x}{c}\\x\\y", "cb")]
#[case("\\newcommand{\\outer}[1]{\\def\\inner##1{##1#1}\\inner{a}}\\outer{b}", "ab")]
#[case(
    "\\newcommand{\\m}{\\ensuremath{M_\\odot}\\xspace}1 \\m and $\\m$, \\m.",
    "1 $M_\\odot$ and $M_\\odot$, $M_\\odot$."
)]
#[case("\\newcommand{\\m}{\\ifmmode M\\else text\\fi}\\m{} $\\m$", "text $M$")]
#[case("\\DeclareMathOperator{\\sinc}{sinc}$\\sinc x$", "$\\operatorname{sinc}x$")]
#[case("\\newenvironment{loud}[1]{\\textbf{#1:} }{!}\\begin{loud}{A}b\\end{loud}", "**A:** b!")]
#[case("\\newif\\ifdraft\\drafttrue\\ifdraft a\\else b\\fi\\draftfalse\\ifdraft a\\else b\\fi", "ab")]
#[case("\\newcommand{\\be}{\\begin{equation}}\\newcommand{\\ee}{\\end{equation}}\\be x=1 \\ee", "$$\nx=1 \\tag{1}\n$$")]
#[case("\\def\\lsim{\\mathrel{\\rlap{\\lower4pt\\hbox{$\\sim$}}\\raise1pt\\hbox{$<$}}}$a\\lsim b$", "$a\\lesssim b$")]
#[case("\\newcommand\\fig[1]{Fig.~\\ref{fig:#1}}\\section{S}\\label{fig:a}\\fig{a}", "Fig. [1](#fig:a)")]
#[case("\\newcommand{\\R}[1]{\\romannumeral #1 }\\R{14}.", "xiv.")]
#[case("\\NewDocumentCommand{\\x}{O{d} m}{#1-#2}\\x{a} \\x[b]{c}", "d-a b-c")]
fn macros_are_expanded(#[case] body: &str, #[case] expected: &str) {
    let text = markdown_of(body);
    assert!(text.contains(expected), "{text}");
}

#[rstest]
#[case("\\begin{equation}a\\label{e}\\end{equation}\\eqref{e}", "<a id=\"e\"></a>\n\n$$\na \\tag{1}\n$$\n\n[(1)](#e)")]
#[case("\\begin{equation*}a\\end{equation*}\\[b\\]$$c$$", "$$\na\n$$\n\n$$\nb\n$$\n\n$$\nc\n$$")]
#[case(
    "\\begin{align}a&=b\\\\c&=d\\nonumber\\\\e&=f\\end{align}",
    "$$\na =b \\tag{1}\n$$\n\n<a id=\"E2\"></a>\n\n$$\n\\begin{aligned} c&=d \\\\ e&=f \\end{aligned} \\tag{2}\n$$"
)]
#[case(
    "\\begin{eqnarray}a&=&b\\nonumber\\\\&&+c\\end{eqnarray}",
    "$$\n\\begin{aligned} a&= b \\\\ & +c \\end{aligned} \\tag{1}\n$$"
)]
#[case("\\begin{equation}x\\tag{$\\ast$}\\end{equation}\\begin{equation}y\\end{equation}", "y \\tag{1}")]
#[case(
    "\\begin{subequations}\\begin{align}a\\\\b\\end{align}\\end{subequations}\\begin{equation}c\\end{equation}",
    "b \\tag{1b}\n$$\n\n<a id=\"E2\"></a>\n\n$$\nc \\tag{2}"
)]
#[case("\\begin{multline}a\\\\b\\end{multline}", "\\begin{gathered} a \\\\ b \\end{gathered} \\tag{1}")]
#[case("$\\text{if $x$ is}\\ \\mbox{\\ensuremath{y}}$", "$\\text{if \\(x\\) is}\\ \\mbox{\\(y\\)}$")]
#[case("$a \\farcs 5, x\\la3$", "$a .\\!\\!^{\\prime\\prime}5, x\\lesssim 3$")]
#[case(
    "\\begin{equation}\\left(\\begin{array}{cc}1&2\\\\3&4\\end{array}\\right)\\end{equation}",
    "\\begin{array}{cc}1&2\\\\3&4\\end{array}\\right) \\tag{1}"
)]
fn formulas_are_numbered(#[case] body: &str, #[case] expected: &str) {
    let text = markdown_of(body);
    assert!(text.contains(expected), "{text}");
}

#[rstest]
#[case(
    "article",
    "\\section{A}\\subsection{B}\\section*{C}\\section{D}\\appendix\\section{E}\\subsection{F}",
    "1,1.1,-,2,A,A.1"
)]
#[case("revtex4-2", "\\section{A}\\subsection{B}\\subsection{C}\\section{D}", "I,A,B,II")]
#[case("report", "\\chapter{A}\\section{B}\\subsection{C}", "1,1.1,1.1.1")]
#[case(
    "article",
    "\\setcounter{section}{4}\\section{A}\\renewcommand{\\thesection}{S\\arabic{section}}\\section{B}",
    "5,S6"
)]
fn headings_are_numbered(#[case] class: &str, #[case] body: &str, #[case] expected: &str) {
    let read = read(paper(class, "", body).as_bytes()).unwrap();
    let numbers = read.body.iter().filter_map(|block| {
        let Block::Heading(heading) = block else { return None };
        Some(heading.number.clone().unwrap_or_else(|| "-".into()))
    });
    assert_eq!(numbers.collect::<Vec<_>>().join(","), expected);
}

#[rstest]
#[case(
    "\\begin{tabular}{l|r}\\hline A & B \\\\ \\hline 1 & $x\\&y$ \\\\[2pt] \\hline\\end{tabular}",
    "| A | B |\n| --- | --- |\n| 1 | $x\\&y$ |"
)]
#[case("\\begin{tabular}{r@{.}lc}1&5&a\\\\ 2&25&b\\end{tabular}", "| 1.5 | a |\n| 2.25 | b |")]
#[case(
    "\\begin{tabular}{ccc}\\multicolumn{2}{c}{ab}&\\multirow{2}{*}{c}\\\\d&e&\\\\ f&g&h\\end{tabular}",
    "<tr><td colspan=\"2\">ab</td><td rowspan=\"2\">c</td></tr>\n<tr><td>d</td><td>e</td></tr>\n<tr><td>f</td><td>g</td><td>h</td></tr>"
)]
#[case(
    "\\begin{table}\\begin{tabular}{c}x\\end{tabular}\\caption{Last \\label{t}}\\end{table}\\ref{t}",
    "<a id=\"t\"></a>\n\n\n**Table 1.** Last\n\n|  |\n| --- |\n| x |\n\n[1](#t)"
)]
#[case("\\newcommand{\\row}{a & b \\\\}\\begin{tabular}{cc}\\row \\row\\end{tabular}", "| a | b |\n| a | b |")]
#[case(
    "\\begin{table}\\caption{C}\\begin{tabular}{c}a\\tnote{1}\\end{tabular}\\begin{tablenotes}\\item[1] Note.\\end{tablenotes}\\end{table}",
    "| a<sup>1</sup> |\n\n<sup>1</sup> Note."
)]
#[case("\\begin{tabular}{c}\\begin{tabular}{@{}c@{}}up\\\\down\\end{tabular}\\end{tabular}", "| up down |")]
fn tables_are_read(#[case] body: &str, #[case] expected: &str) {
    let text = markdown_of(body);
    assert!(text.contains(expected), "{text}");
}

#[test]
fn figures_have_their_numbers_and_panels() {
    let text = markdown_of(
        "\\begin{figure}\\includegraphics[width=1cm]{a}\\caption{One}\\label{a}\\includegraphics{b}\\caption{Two}\\end{figure}\
         \\begin{figure*}\\subfloat[Left\\label{l}]{\\includegraphics{l}}\\subfloat[Right]{\\includegraphics{r}}\\caption{Both}\\end{figure*}\
         \\figcaption[f.eps]{Three}\\ref{a} \\ref{l}",
    );
    for expected in [
        "![Figure 1](<a>)\n\n\n**Figure 1.** One",
        "![Figure 2](<b>)\n\n\n**Figure 2.** Two",
        "![(a)](<l>)\n\n\n**(a).** Left",
        "**Figure 3.** Both",
        "![Figure 4](<f.eps>)",
        "[1](#a) [3a](#l)",
    ] {
        assert!(text.contains(expected), "{expected}\n\n{text}");
    }
}

#[test]
fn numeric_citations_have_the_numbers_of_the_list() {
    let text = markdown_of(
        "See \\cite{b,a} and \\cite[p.~3]{a}, not \\cite{c}.\
         \\begin{thebibliography}{9}\\bibitem{a} First. \\bibitem{b} Second, \\url{http://x.y}.\\end{thebibliography}",
    );
    assert!(text.contains("See \\[2, 1\\] [@b; @a] and \\[1, p. 3\\] [@a], not \\[c\\]."), "{text}");
    assert!(text.contains("- <a id=\"a\"></a>\\[1\\] First.\n\n- <a id=\"b\"></a>\\[2\\] Second"), "{text}");
}

#[rstest]
#[case("\\bibitem[Smith et al.(2019)Smith, Jones, \\& Doe]{k}")]
#[case("\\bibitem[{{Smith} {et~al.}(2019){Smith}, {Jones}, \\& {Doe}}]{k}")]
#[case("\\bibitem[\\protect\\citeauthoryear{Smith, Jones \\& Doe}{Smith et~al.}{2019}]{k}")]
#[case("\\bibitem[{\\citenamefont{Smith}\\ \\emph{et~al.}(2019)\\citenamefont{Smith}}]{k}")]
fn labels_of_entries_are_understood(#[case] item: &str) {
    let body = format!(
        "\\citet{{k}}; \\citep[see][]{{k}}; \\citealt{{k}}; \\citeauthor{{k}}; \\citeyearpar{{k}}\n\
         \\begin{{thebibliography}}{{}}\n{item} Smith, J. 2019, \\apj, 1, 2\n\\end{{thebibliography}}"
    );
    let text = markdown_of(&body);
    let expected = "Smith et al. (2019) [@k]; (see Smith et al. 2019) [@k]; Smith et al. 2019 [@k]; Smith et al. [@k]; (2019) [@k]";
    assert!(text.contains(expected) && text.contains("<a id=\"k\"></a>Smith, J. 2019, ApJ, 1, 2"), "{text}");
}

#[test]
fn what_is_not_understood_is_kept_and_counted() {
    let read = read_body("\\odd{x} \\odd \\begin{strange}inside\\end{strange} \\ref{none}");
    let text = markdown::write(&read);
    assert!(text.contains("`\\odd`x `\\odd`inside") || text.contains("`\\odd`x `\\odd` inside"), "{text}");
    assert!(text.contains("`\\ref{none}`"), "{text}");
    assert_eq!(whats(&read), ["the command \\odd", "the environment strange", "nothing has the label none"]);
    assert_eq!(read.troubles.first().map(|trouble| trouble.count), Some(2));
}
