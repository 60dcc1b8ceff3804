//! Whole papers in the way of the three journals.

use super::*;

pub(super) const AASTEX: &str = r#"%% A comment
\documentclass[twocolumn]{aastex631}
\newcommand{\msun}{\ensuremath{M_\odot}\xspace}
\newcommand\kms{km~s$^{-1}$}
\shorttitle{Warm dust}
\submitjournal{ApJ}
\begin{document}
\title{Warm Dust around V1234~Ori\footnote{Based on nothing.}}
\correspondingauthor{Ana Ros}
\email{ana@example.org}
\author[0000-0002-0000-0001]{Ana Ros}
\affiliation{Observatory, 1 Hill Road \\ Anytown, USA}
\author{Bj\"orn \'Eclair}
\affil{Institute B}
\affiliation{Institute C}
\begin{abstract}
A mass of 0.3\,\msun at 12\farcs5 (\S\ref{sec:obs}); [\ion{O}{3}] $\lambda5007$ at 300 \kms.
\end{abstract}
\keywords{Circumstellar disks (235) --- Dust (44) --- Stars: individual (V1234 Ori, HD~1)}
\section{Introduction} \label{sec:intro}
Dust is common \citep[e.g.,][and references therein]{Ros2019,Kim2020}, see \citet[Section 3]{Kim2020} and
\citep{Ros2019,Ros2021}; \citealt{Nobody}. Table~\ref{tab:obs}, Equation~(\ref{eq:planck}), Appendix~\ref{app:x}.
\section{Observations}\label{sec:obs}
\begin{equation}
B_\nu(T) = \frac{2 h \nu^3}{c^2} \frac{1}{e^{h\nu/kT}-1} ,
\label{eq:planck}
\end{equation}
where $h$ is known.
\begin{figure*}[ht!]
\plotone{fig1.pdf}
\caption{The spectrum \citep{Ros2019}. \label{fig:one}}
\end{figure*}
\begin{figure}
\gridline{\fig{a.pdf}{0.3\textwidth}{(a)}
          \fig{b.pdf}{0.3\textwidth}{(b) The other}}
\caption{Two panels.}
\end{figure}
\begin{deluxetable*}{lcDr}
\tabletypesize{\scriptsize}
\tablewidth{0pt}
\tablecaption{Observation log \label{tab:obs}}
\tablehead{
\colhead{Date} & \colhead{Filter\tablenotemark{a}} & \twocolhead{$m$} & \colhead{$N$}\\
\colhead{} & \colhead{} & \twocolhead{(mag)} & \colhead{}
}
\startdata
2020 Jan 1 & $V$ & 12&3 & 3 \\
2020 Jan 2 & \nodata & $-1$&25 & 4\tablenotemark{b} \\
\cutinhead{Second season}
2021 Jan 2 & $I$ & 1&0 & 4
\enddata
\tablenotetext{a}{Johnson--Cousins.}
\tablenotetext{b}{Bad weather.}
\tablecomments{Shortened.}
\end{deluxetable*}
\acknowledgments
We thank you. \software{astropy \citep{Ros2021}} \facilities{HST(STIS)}
\appendix
\section{Extra}\label{app:x}
\begin{equation} y = 2 \label{eq:app}\end{equation}
\bibliography{refs}{}
\bibliographystyle{aasjournal}
\end{document}
"#;

const AASTEX_LIST: &str = r#"\begin{thebibliography}{}
\expandafter\ifx\csname natexlab\endcsname\relax\def\natexlab#1{#1}\fi
\providecommand{\url}[1]{\href{#1}{#1}}
\providecommand{\dodoi}[1]{doi:~\href{http://doi.org/#1}{\nolinkurl{#1}}}

\bibitem[{{Kim}(2020)}]{Kim2020}
{Kim}, K. 2020, \mnras, 491, 1234, \dodoi{10.1093/mnras/stz_1}

\bibitem[{{Ros} {et~al.}(2019){Ros}, {M{\"u}ller}, \& {Doe}}]{Ros2019}
{Ros}, A., {M{\"u}ller}, A., \& {Doe}, J. 2019, \apj, 880, 1

\bibitem[{{Ros} {et~al.}(2021{\natexlab{a}}){Ros}, {M{\"u}ller}, \& {Doe}}]{Ros2021}
---. 2021{\natexlab{a}}, \aap, in press.

\end{thebibliography}
"#;

pub(super) const AA: &str = r#"\documentclass{aa}
\usepackage{natbib}
\bibpunct{(}{)}{;}{a}{}{,}
\begin{document}
\title{Rings around small bodies}
\subtitle{I. The $\kappa$ case}
\author{G. Wu\inst{1}\thanks{Fellow.}
        \and
        C. Pt\'olem\inst{1,2}}
\institute{Institute One, Street 17\\ \email{wu@example.org}
      \and
        Institute Two}
\date{Received 1 May 2020; accepted 3 June 2020}
\abstract
{Rings exist.}
{We look at $10^{-2}$\,au.}
{We \textit{count}.}
{There are $\la 3$.}
{}
\keywords{planets and satellites: rings -- methods: numerical}
\maketitle
\section{Introduction}
Rings \citep{lee} are rings.
\begin{table}
\caption{\label{t1}Opacities.}
\centering
\begin{tabular}{lcc}
\hline\hline
Source & $T/[\mathrm{K}]$ & $\kappa\tablefootmark{a}$\\
\hline
Lee & $\leq 1700$ & 3 \\
\hline
\end{tabular}
\tablefoot{The text. \tablefoottext{a}{Only here.}}
\end{table}
\begin{acknowledgements}
Thanks.
\end{acknowledgements}
\begin{thebibliography}{}
\bibitem[Lee(1980)]{lee} Lee H., 1980, Icarus, 64, 544
\end{thebibliography}
\begin{appendix}
\section{More}\label{bg}
\begin{figure}\includegraphics{x}\caption{Rings}\label{af}\end{figure}
Fig.~\ref{af} at 5\degr.
\end{appendix}
\end{document}
"#;

pub(super) const MNRAS: &str = r#"\documentclass[fleqn,usenatbib]{mnras}
\title[Short]{Dwarfs in the dark}
\author[A. Lo et al.]{
Ada Lo,$^{1}$\thanks{E-mail: ada@example.org}
Ben Mo$^{2,3}$
and Cy No$^{3}$
\\
% List of institutions
$^{1}$Department One, London, UK\\
$^{2}$Department Two\\
$^{3}$Department Three
}
\date{Accepted 2020 May 1. Received 2020 April 1}
\begin{document}
\label{firstpage}
\pagerange{\pageref{firstpage}--\pageref{lastpage}}
\maketitle
\begin{abstract}
Short.
\end{abstract}
\begin{keywords}
galaxies: dwarf -- dark matter
\end{keywords}
\section{Introduction}
As \cite{Lo2012} say \citep{Mo2013}.
\section*{Data Availability}
None.
\bibliographystyle{mnras}
\bibliography{example}
\appendix
\section{Extra}
\begin{figure}\includegraphics{q}\caption{C}\label{fq}\end{figure}
Figure~\ref{fq}.
\bsp
\label{lastpage}
\end{document}
"#;

const MNRAS_ENTRIES: &str = r#"@string{mn = "MNRAS"}
@ARTICLE{Lo2012,
       author = {{Lo}, A.~N. and {M{\"u}ller}, Bea},
        title = "{A paper on $z\sim 1$}",
      journal = mn,
         year = 2012, month = jan,
       volume = {400},
        pages = {1--10},
          doi = {10.1093/mnras/sts_1},
}
@article{Mo2013, author={Ben Mo and Dee Dum and Eff Eff}, title={Title}, journal={\apj}, year={2013}, eprint={1301.00001}}
@article{Uncited, author={Nobody}, title={Title}}
"#;

fn author(name: &str, affiliations: &[&str]) -> Author {
    Author { name: name.into(), affiliations: affiliations.iter().map(|&one| one.into()).collect() }
}

#[test]
fn a_paper_of_the_aas_is_read() {
    let files = [("ms.tex", AASTEX), ("ms.bbl", AASTEX_LIST), ("fig1.pdf", "x"), ("a.pdf", "x"), ("b.pdf", "x")];
    let read = read(&gzip(&tar(&files))).unwrap();
    assert_eq!(plain(&read.front.title), "Warm Dust around V1234 Ori");
    assert_eq!(
        read.front.authors,
        [
            author("Ana Ros", &["Observatory, 1 Hill Road, Anytown, USA"]),
            author("Björn Éclair", &["Institute B", "Institute C"])
        ]
    );
    assert_eq!(read.front.keywords, ["Circumstellar disks (235)", "Dust (44)", "Stars: individual (V1234 Ori, HD 1)"]);
    assert_eq!(read.front.journal.as_deref(), Some("ApJ"));
    let text = markdown::write(&read);
    for expected in [
        "# Warm Dust around V1234 Ori[^1]",
        "A mass of 0.3 $M_\\odot$ at 12.″5 (§[2](#sec:obs)); \\[O III\\] $\\lambda 5007$ at 300 km s$^{-1}$.",
        "## 1 Introduction {#sec:intro}\n\nDust is common (e.g., Ros et al. 2019; Kim 2020, and references therein) [@Ros2019; @Kim2020], \
         see Kim (2020, Section 3) [@Kim2020] and (Ros et al. 2019, 2021a) [@Ros2019; @Ros2021]; Nobody. Table [1](#tab:obs), \
         Equation ([1](#eq:planck)), Appendix [A](#app:x).",
        "<a id=\"eq:planck\"></a>\n\n$$\nB_\\nu(T) = \\frac{2 h \\nu^3}{c^2} \\frac{1}{e^{h\\nu/kT}-1} , \\tag{1}\n$$\n\nwhere $h$ is known.",
        "![Figure 1](<fig1.pdf>)\n\n\n**Figure 1.** The spectrum (Ros et al. 2019) [@Ros2019].",
        "(b) The other\n\n\n**Figure 2.** Two panels.",
        "**Table 1.** Observation log\n\n<table>\n<tr><th>Date</th><th>Filter<sup>a</sup></th><th>$m$</th><th>$N$</th></tr>",
        "<tr><td>2020 Jan 1</td><td>$V$</td><td>12.3</td><td>3</td></tr>\n\
         <tr><td>2020 Jan 2</td><td>…</td><td>$-1$.25</td><td>4<sup>b</sup></td></tr>\n\
         <tr><td colspan=\"4\">Second season</td></tr>",
        "<sup>a</sup> Johnson–Cousins.\n\n<sup>b</sup> Bad weather.\n\n**Note.** Shortened.",
        "## Acknowledgements\n\nWe thank you.\n\n**Software:** astropy (Ros et al. 2021a) [@Ros2021]",
        "## A Extra {#app:x}",
        "y = 2 \\tag{A1}",
        "- <a id=\"Ros2019\"></a>Ros, A., Müller, A., \\& Doe, J. 2019, ApJ, 880, 1",
    ] {
        assert!(text.contains(expected), "{expected}\n\n{text}");
    }
    assert_eq!(
        read.references.iter().map(|one| one.links.as_slice()).next(),
        Some(&["http://doi.org/10.1093/mnras/stz_1".to_owned()][..])
    );
    assert_eq!(whats(&read), ["the reference list has no entry Nobody"]);
}

#[test]
fn a_paper_of_aa_is_read() {
    let read = read(AA.as_bytes()).unwrap();
    assert_eq!(
        read.front.authors,
        [
            author("G. Wu", &["Institute One, Street 17"]),
            author("C. Ptólem", &["Institute One, Street 17", "Institute Two"])
        ]
    );
    assert_eq!(read.front.keywords, ["planets and satellites: rings", "methods: numerical"]);
    let text = markdown::write(&read);
    for expected in [
        "# Rings around small bodies: I. The $\\kappa$ case",
        "**Context.** Rings exist.\n\n**Aims.** We look at $10^{-2}$ au.\n\n**Methods.** We *count*.\n\n**Results.** There are $\\lesssim 3$.",
        "Rings (Lee 1980) [@lee] are rings.",
        "**Table 1.** Opacities.\n\n| Source | $T/[\\mathrm{K}]$ | $\\kappa^{\\mathrm{a}}$ |\n| --- | --- | --- |\n| Lee | $\\leq 1700$ | 3 |",
        "<sup>a</sup> Only here.",
        "## Acknowledgements\n\nThanks.",
        "## A More {#bg}",
        "**Figure A.1.** Rings\n\nFig. [A.1](#af) at 5°.",
        "Lee H., 1980, Icarus, 64, 544",
        "[^1]: Fellow.",
    ] {
        assert!(text.contains(expected), "{expected}\n\n{text}");
    }
    assert_eq!(whats(&read), Vec::<&str>::new());
}

#[test]
fn a_paper_of_monthly_notices_is_read() {
    let read = read(&tar(&[("main.tex", MNRAS), ("example.bib", MNRAS_ENTRIES), ("q.eps", "x")])).unwrap();
    assert_eq!(
        read.front.authors,
        [
            author("Ada Lo", &["Department One, London, UK"]),
            author("Ben Mo", &["Department Two", "Department Three"]),
            author("Cy No", &["Department Three"])
        ]
    );
    let text = markdown::write(&read);
    for expected in [
        "As Lo & Müller (2012) [@Lo2012] say (Mo et al. 2013) [@Mo2013].".replace('&', "\\&").as_str(),
        "## Data Availability\n\nNone.\n\n## A Extra {#SA}",
        "![Figure A1](<q.eps>)",
        "Figure [A1](#fq).",
        "Lo, A. N., \\& Müller, B. 2012, A paper on $z\\sim 1$, MNRAS, 400, 1–10, [doi:10.1093/mnras/sts\\_1](<https://doi.org/10.1093/mnras/sts_1>)",
        "- <a id=\"Mo2013\"></a>Mo, B., Dum, D., \\& Eff, E. 2013, Title, ApJ, [arXiv:1301.00001](<https://arxiv.org/abs/1301.00001>)",
    ] {
        assert!(text.contains(expected), "{expected}\n\n{text}");
    }
    assert_eq!(whats(&read), Vec::<&str>::new());
}

#[test]
fn the_main_file_is_found() {
    let main = paper("article", "", "Main. \\input{part}");
    let other = paper("article", "", &format!("Other. {}", "long ".repeat(100)));
    let found = |files: &[(&str, &str)]| markdown::write(&read(&tar(files)).unwrap());
    assert!(found(&[("a.tex", &other), ("ms.tex", &main), ("part.tex", "Part.")]).contains("Main. Part."));
    assert!(found(&[("ms.tex", &other), ("b.tex", &main), ("00README.XXX", "b.tex toplevelfile\n")]).contains("Main."));
    let hint = r#"{"sources":[{"usage":"toplevel","filename":"b.tex"}]}"#;
    assert!(found(&[("ms.tex", &other), ("b.tex", &main), ("00README.json", hint)]).contains("Main."));
    assert!(found(&[("sub/ms.tex", &main), ("sub/part.tex", "Part.")]).contains("Main. Part."));
}

#[test]
fn a_part_that_is_a_paper_of_its_own_is_read_into_the_whole() {
    let main = paper("article", "", "A \\subfile{parts/b} C \\import{parts/}{d}");
    let part = paper("subfiles", "", "B");
    let read =
        read(&tar(&[("main.tex", &main), ("parts/b.tex", &part), ("parts/d.tex", "\\input{e}"), ("parts/e.tex", "E")]))
            .unwrap();
    assert!(markdown::write(&read).contains("A B C E"), "{}", markdown::write(&read));
}

#[test]
fn packages_of_the_archive_define_only_what_is_new() {
    let main = paper("article", "\\usepackage{mine}", "\\new{} \\emph{x}");
    let package = "\\newcommand{\\new}{words}\\renewcommand{\\emph}[1]{gone}\\def\\new@x{y}text that is no text";
    let text = markdown::write(&read(&tar(&[("main.tex", &main), ("mine.sty", package)])).unwrap());
    assert_eq!(text.trim(), "words *x*");
}

#[test]
fn a_list_of_biblatex_is_read() {
    let list = r#"\begin{refsection}\sortlist[entry]{nyt/global//global/global}
\entry{Lo2012}{article}{}
  \name{author}{2}{}{%
    {{hash=a}{family={Lo},familyi={L\bibinitperiod},given={Ada},giveni={A\bibinitperiod}}}%
    {{hash=b}{family={M\"uller},familyi={M\bibinitperiod},given={Bea},giveni={B\bibinitperiod}}}%
  }
  \strng{namehash}{x}
  \field{journaltitle}{\mnras}
  \field{title}{A title}
  \field{volume}{400}
  \field{year}{2012}
  \field{pages}{1\bibrangedash 10}
  \verb{doi}
  \verb 10.1093/mnras/sts_1
  \endverb
\endentry
\endsortlist"#;
    let main = paper("article", "\\usepackage[style=authoryear]{biblatex}", "\\parencite{Lo2012}\\printbibliography");
    let text = markdown::write(&read(&tar(&[("main.tex", &main), ("main.bbl", list)])).unwrap());
    assert!(text.contains("(Lo \\& Müller 2012) [@Lo2012]"), "{text}");
    assert!(
        text.contains("Lo, A., \\& Müller, B. 2012, A title, MNRAS, 400, 1–10, [doi:10.1093/mnras/sts\\_1]"),
        "{text}"
    );
}

#[test]
fn authors_of_other_classes_have_their_affiliations() {
    let authors = |class: &str, text: &str| read(paper(class, text, "Text.").as_bytes()).unwrap().front.authors;
    assert_eq!(
        authors("revtex4-2", "\\author{A. A}\\author{B. B}\\affiliation{X}\\author{C. C}\\affiliation{Y}"),
        [author("A. A", &["X"]), author("B. B", &["X"]), author("C. C", &["Y"])]
    );
    assert_eq!(
        authors("article", "\\author{A A\\thanks{T} \\\\ Inst X \\and B B \\\\ Inst Y}"),
        [author("A A", &["Inst X"]), author("B B", &["Inst Y"])]
    );
    assert_eq!(
        authors("article", "\\author[1,2]{A A}\\author[2]{B B}\\affil[1]{X}\\affil[2]{Y}"),
        [author("A A", &["X", "Y"]), author("B B", &["Y"])]
    );
    assert_eq!(
        authors(
            "aastex",
            "\\author{A. A\\altaffilmark{1}, B. B\\altaffilmark{1,2}, and C. C, Jr.}\\altaffiltext{1}{X}\\altaffiltext{2}{Y}"
        ),
        [author("A. A", &["X"]), author("B. B", &["X", "Y"]), author("C. C, Jr.", &[])]
    );
}

#[test]
fn other_classes_say_what_they_need() {
    let read = read_body(
        "\\doi{10.1/A_b} \\begin{proof}x\\end{proof}\\newtheorem{t}{Theorem}\\begin{t}[N]\\label{t}y\\end{t}\\autoref{t}",
    );
    let text = markdown::write(&read);
    assert!(text.contains("[doi:10.1/A\\_b](<https://doi.org/10.1/A_b>)"), "{text}");
    assert!(text.contains("> **Theorem 1 (N)**\n> \n> y\n\n[Theorem 1](#t)"), "{text}");
    assert!(
        read.body
            .iter()
            .all(|block| !matches!(block, Block::Paragraph(content) if content.contains(&Inline::text(""))))
    );
}
