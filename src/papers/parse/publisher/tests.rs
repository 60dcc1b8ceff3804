use super::*;
use crate::papers::parse::document::{Block, plain};
use crate::papers::parse::markdown;
use rstest::rstest;

const HEAD: &str = "<meta name=\"citation_title\" content=\"A planet of CO&lt;sub&gt;2&lt;/sub&gt;\">\
    <meta name=\"citation_author\" content=\"Byron, Ada\"><meta name=\"citation_author_institution\" content=\"La Silla\">\
    <meta name=\"citation_author\" content=\"Edwin Hubble\"><meta name=\"citation_doi\" content=\"doi:10.1000/ABC.1\">\
    <meta name=\"citation_journal_title\" content=\"The Journal\"><meta name=\"citation_publication_date\" content=\"2024/05/01\">\
    <meta name=\"citation_abstract_html_url\" content=\"https://journal.example/doc/1\">";

/// Running text, enough of it to be an article.
fn filler() -> String {
    "<p>The star was observed in three nights, and what was seen is told here at some length.</p>".repeat(60)
}

fn page(head: &str, body: &str) -> String {
    format!("<!DOCTYPE html><html><head><title>x</title>{head}</head><body>{body}</body></html>")
}

/// A page of no publisher in particular.
fn general(body: &str) -> Document {
    let filler = filler();
    let body = format!(
        "<nav>Home Journals</nav><article><h1>A planet of CO<sub>2</sub></h1><section class=\"abstract\"><h2>Abstract</h2>\
         <p>Short, but long enough to be known for what it is: the abstract of a paper about a planet.</p></section>\
         <div class=\"article-body\">{body}<h2>The end</h2>{filler}</div></article><footer>Imprint</footer>"
    );
    read(&page(HEAD, &body)).unwrap()
}

fn general_text(body: &str) -> String {
    markdown::write(&general(body))
}

#[test]
fn the_head_gives_the_front() {
    let read = general("<h2>1. Start</h2><p>Words.</p>");
    assert_eq!(plain(&read.front.title), "A planet of CO2");
    let names: Vec<_> = read.front.authors.iter().map(|author| author.name.as_str()).collect();
    assert_eq!(names, ["Ada Byron", "Edwin Hubble"]);
    assert_eq!(read.front.authors[0].affiliations, ["La Silla"]);
    assert_eq!(read.front.doi.as_deref(), Some("10.1000/abc.1"));
    assert_eq!(read.front.journal.as_deref(), Some("The Journal"));
    let text = markdown::write(&read);
    assert!(text.contains("# A planet of CO<sub>2</sub>\n\n## Abstract {#abstract}\n\nShort, but"), "{text}");
    assert!(!text.contains("Imprint") && !text.contains("Journals"), "{text}");
    assert_eq!(text.matches("Short, but").count(), 1);
}

#[test]
fn linked_data_stands_in_for_the_head() {
    let head = r#"<script type="application/ld+json">{"@graph":[{"@type":"ScholarlyArticle","headline":"On stars",
        "author":[{"@type":"Person","name":"Ada Byron","affiliation":[{"name":"La Silla"}]}],"datePublished":"2020-01-02",
        "sameAs":"https://doi.org/10.1000/XYZ","isPartOf":{"@type":"PublicationIssue","isPartOf":{"name":"Stars"}}}]}</script>"#;
    let read =
        read(&page(head, &format!("<main><h1>On stars</h1><h2>One</h2>{}<h2>Two</h2><p>x</p></main>", filler())))
            .unwrap();
    assert_eq!(plain(&read.front.title), "On stars");
    assert_eq!(read.front.authors[0].affiliations, ["La Silla"]);
    assert_eq!(read.front.doi.as_deref(), Some("10.1000/xyz"));
    assert_eq!((read.front.date.as_deref(), read.front.journal.as_deref()), (Some("2020-01-02"), Some("Stars")));
}

#[rstest]
#[case(
    "<h2 id=\"S2\">2.&nbsp;Data_1</h2><h3><span>2.1</span>Stars</h3><p>x</p>",
    "## 2 Data\\_1 {#S2}\n\n### 2.1 Stars"
)]
#[case(
    "<h2>IV. RESULTS</h2><h3>A. More</h3><h4>10 years of data</h4>",
    "## IV RESULTS\n\n### A More\n\n#### 10 years of data"
)]
#[case("<h2>Appendix B: Tables</h2>", "## B Tables")]
#[case(
    "<p>One <i>two</i> <strong>three</strong> cm<sup>2</sup> and 5 &lt; 6</p>",
    "One *two* **three** cm<sup>2</sup> and 5 \\< 6"
)]
#[case("<p>See <a href=\"#S2\">Section 2</a>.</p><h2 id=\"S2\">Two</h2>", "See [Section 2](#S2).")]
#[case("<p>See <a href=\"#gone\">there</a>.</p>", "See there.")]
#[case("<p>See <a href=\"/data/1\">data</a>.</p>", "See [data](<https://journal.example/data/1>).")]
#[case("<ol start=\"3\"><li>a</li><li><p>b</p></li></ol>", "3. a\n4. b")]
#[case("<dl><dt>WD</dt><dd>White dwarf</dd></dl>", "- **WD** White dwarf")]
#[case("<blockquote><p>Said.</p></blockquote>", "> Said.")]
#[case("<pre>a = 1\nb</pre>", "```\na = 1\nb\n```")]
#[case("<p>Text<br>goes on.</p>", "Text goes on.")]
fn each_thing_has_its_form(#[case] body: &str, #[case] expected: &str) {
    let text = general_text(body);
    assert!(text.contains(expected), "{text}");
}

#[rstest]
#[case("<div class=\"social-media-sharers\">Tweet this</div>", "Tweet")]
#[case("<div class=\"figure-inline-download\">Download: PPT</div>", "Download")]
#[case("<button>Buy now</button><form><p>Search here</p></form>", "Buy")]
#[case("<section id=\"x\"><h2>Article metrics</h2><p>Views 807</p></section>", "807")]
#[case("<section><header><h2>You may also like</h2></header><ul><li>Another paper</li></ul></section>", "Another")]
#[case("<span class=\"visuallyhidden\">Open annotations</span>", "annotations")]
#[case("<div id=\"onetrust-consent-sdk\"><p>We value your privacy</p></div>", "privacy")]
fn what_belongs_to_the_page_is_left_out(#[case] body: &str, #[case] gone: &str) {
    let text = general_text(&format!("{body}<h2>Next</h2><p>Kept words.</p>"));
    assert!(!text.contains(gone) && text.contains("## Next") && text.contains("Kept words."), "{text}");
}

#[rstest]
// MathJax 2: preview, drawing, source; the source alone counts.
#[case(
    "<p>So <span class=\"MathJax_Preview\">a^2</span><span class=\"MathJax\" id=\"MathJax-Element-1-Frame\"><nobr>a2</nobr></span>\
     <script type=\"math/tex\" id=\"MathJax-Element-1\">a^2</script> it is.</p>",
    "So $a^2$ it is."
)]
#[case(
    "<p>So <span class=\"MathJax\" data-mathml=\"&lt;math&gt;&lt;msup&gt;&lt;mi&gt;a&lt;/mi&gt;&lt;mn&gt;2&lt;/mn&gt;&lt;/msup&gt;&lt;/math&gt;\"><nobr>a2</nobr></span> it is.</p>",
    "So $a^2$ it is."
)]
#[case(
    "<p>So <mjx-container><mjx-math>junk</mjx-math><mjx-assistive-mml><math><mi>b</mi></math></mjx-assistive-mml></mjx-container> it is.</p>",
    "So $b$ it is."
)]
#[case("<p>So <script type=\"math/mml\"><math><mi>c</mi></math></script> it is.</p>", "So $c$ it is.")]
#[case("<p>So <span class=\"mathjax-tex\">\\(d_1\\)</span> it is.</p>", "So $d_1$ it is.")]
#[case("<p>So <span class=\"inline-formula\">$e_1$</span> it is.</p>", "So $e_1$ it is.")]
#[case(
    "<p>So <span class=\"tex-math\">\\documentclass[12pt]{minimal} \\usepackage{amsmath} \\begin{document}$$f$$\\end{document}</span> it is.</p>",
    "So $f$ it is."
)]
#[case("<p>So <img src=\"x_ieqn1.gif\" alt=\"$\\alpha$\"> it is.</p>", "So $\\alpha$ it is.")]
#[case(
    "<p>So <span class=\"katex\"><span class=\"katex-mathml\"><math><semantics><mrow><mi>g</mi></mrow><annotation encoding=\"application/x-tex\">g^+</annotation></semantics></math></span><span class=\"katex-html\" aria-hidden=\"true\">g+</span></span> it is.</p>",
    "So $g^+$ it is."
)]
#[case("<p>So <math alttext=\"h &lt; 1\"><mi>h</mi></math> it is.</p>", "So $h < 1$ it is.")]
#[case(
    "<p>So <mml:math><mml:mi>k</mml:mi><mml:mspace width=\"1em\"/><mml:mi>l</mml:mi></mml:math> it is.</p>",
    "So $k\\quad l$ it is."
)]
fn a_formula_is_taken_once(#[case] body: &str, #[case] expected: &str) {
    let text = general_text(body);
    assert!(text.contains(expected), "{text}");
}

#[rstest]
#[case(
    "<div class=\"disp-formula\" id=\"eq1\"><span class=\"label\">(7)</span><math display=\"block\"><mi>E</mi><mo>=</mo><mn>1</mn></math></div>",
    "$$\nE=1 \\tag{7}\n$$"
)]
#[case(
    "<p>With <script type=\"math/tex; mode=display\">\\begin{equation}a\\label{x}\\tag{3}\\end{equation}</script> in it.</p>",
    "With\n\n$$\na \\tag{3}\n$$\n\nin it."
)]
#[case(
    "<div class=\"MathJax_Display\"><span class=\"MathJax\">drawn</span></div><script type=\"math/tex; mode=display\">b</script>",
    "$$\nb\n$$"
)]
#[case(
    "<div class=\"c-article-equation\"><div><span class=\"mathjax-tex\">$$c$$</span></div><div class=\"c-article-equation__number\">(12)</div></div>",
    "$$\nc \\tag{12}\n$$"
)]
#[case(
    "<div class=\"display-eqn\"><script type=\"math/tex; mode=display\">\\begin{align*}x &amp;= 1 \\\\ y &amp;= 2\\end{align*}</script></div>",
    "$$\n\\begin{aligned} x &= 1 \\\\ y &= 2 \\end{aligned}\n$$"
)]
fn a_displayed_formula_stands_alone(#[case] body: &str, #[case] expected: &str) {
    let text = general_text(body);
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_formula_that_is_only_an_image_is_counted() {
    let read =
        general("<div class=\"equation\"><img src=\"img12.gif\"> (5)</div><p>And <img src=\"img13.gif\"> too.</p>");
    assert_eq!(read.troubles.iter().map(|trouble| trouble.count).sum::<u32>(), 2);
    let text = markdown::write(&read);
    assert!(text.contains("![Figure](<img12.gif>)\n\n\n(5)") && text.contains("And `img13.gif` too."), "{text}");
}

#[test]
fn signs_are_read_where_a_script_would_draw_them() {
    let script =
        "<script>window.MathJax = {tex: {inlineMath: [['$', '$']]}};</script><script src=\"/mathjax/tex.js\"></script>";
    let text = general_text(&format!("{script}<p>Let $x_1$ and \\(y\\) cost \\$5, and $ alone.</p>"));
    assert!(text.contains("Let $x_1$ and $y$ cost"), "{text}");
    let text = general_text("<p>It cost $5 or $6.</p>");
    assert!(text.contains("It cost \\$5 or \\$6."), "{text}");
}

#[test]
fn figures_have_label_caption_and_image() {
    let text = general_text(
        "<figure id=\"F1\"><a href=\"big.jpg\"><img src=\"data:image/gif;base64,R0\" data-src=\"small.jpg\" alt=\"thumbnail\"></a>\
         <figcaption><b>Figure 1.</b> A <i>star</i>.<p class=\"print-hide\">Download figure</p></figcaption></figure>\
         <p>See <a href=\"#F1\">Fig. 1</a>.</p>",
    );
    assert!(text.contains("<a id=\"F1\"></a>\n\n![Figure 1](<small.jpg>)\n\n\n**Figure 1.** A *star*.\n"), "{text}");
    let panels = general(
        "<div class=\"fig\"><div class=\"fig\"><img src=\"a.png\"><div class=\"caption\">(a) left</div></div>\
         <div class=\"fig\"><img src=\"b.png\"><div class=\"caption\">(b) right</div></div><div class=\"caption\">Fig. 2: Both</div></div>",
    );
    let Some(Block::Figure(figure)) = panels.body.first() else { panic!("{:?}", panels.body.first()) };
    assert_eq!((figure.label.as_deref(), figure.panels.len()), (Some("Fig. 2"), 2));
}

#[test]
fn tables_keep_heads_spans_and_notes() {
    let read = general(
        "<div class=\"table-wrap\" id=\"T1\"><div class=\"caption\"><span class=\"label\">Table 1</span><p>Stars</p></div>\
         <table><thead><tr><th colspan=\"2\">Name</th></tr></thead><tbody><tr><td align=\"right\">Vega<sup>a</sup></td><td>0.0</td></tr></tbody></table>\
         <div class=\"table-wrap-foot\"><p><sup>a</sup> Bright.</p></div></div>",
    );
    let Some(Block::Table(table)) = read.body.first() else { panic!("{:?}", read.body.first()) };
    assert_eq!(table.label.as_deref(), Some("Table 1"));
    assert_eq!(plain(&table.caption), "Stars");
    assert!(table.rows[0].head && table.rows[0].cells[0].columns == 2 && !table.rows[1].head);
    assert_eq!(plain(&table.notes[0]), "a Bright.");
}

#[test]
fn a_table_for_layout_is_no_table() {
    let text = general_text(
        "<table role=\"presentation\"><tr><td><p>Left words.</p></td><td><p>Right words.</p></td></tr></table>",
    );
    assert!(text.contains("Left words.\n\nRight words."), "{text}");
}

#[test]
fn footnotes_stand_once() {
    let read = general(
        "<p>Text<sup><a href=\"#fn1\" id=\"fnref1\">1</a></sup> and<sup><a href=\"#fn1\">1</a></sup> more.</p>\
         <div class=\"footnotes\"><ol><li id=\"fn1\"><p>Seen by chance. <a href=\"#fnref1\">↩</a></p></li></ol></div>",
    );
    assert_eq!(read.footnotes.len(), 1);
    let text = markdown::write(&read);
    assert!(text.contains("Text[^1] and[^1] more.") && text.contains("[^1]: Seen by chance."), "{text}");
    assert_eq!(text.matches("Seen by chance").count(), 1);
}

/// A list of four entries in the way of JATS pages, after a text that cites them.
fn cited(text: &str) -> Document {
    general(&format!(
        "{text}<section class=\"ref-list\"><h2>References</h2><ol>\
         <li id=\"r1\"><span class=\"label\">1.</span> Byron A. (1843) <i>Notes</i>. <a href=\"https://doi.org/10.1/x\">Crossref</a> | <a href=\"https://scholar.google.com/x\">Google Scholar</a></li>\
         <li id=\"r2\"><span class=\"label\">2.</span> Hubble E. (1929) Red. <a href=\"https://arxiv.org/abs/1\">arXiv:1</a></li>\
         <li id=\"r3\"><span class=\"label\">3.</span> Payne C. (1925) Stars.</li><li id=\"r4\"><span class=\"label\">4.</span> Rubin V. (1970) Rotation.</li></ol></section>"
    ))
}

#[rstest]
#[case("<p>Known [<a href=\"#r1\">1</a>–<a href=\"#r3\">3</a>].</p>", "Known \\[1–3\\] [@r1; @r2; @r3].")]
#[case(
    "<p>Known (<a href=\"#r1\">Byron 1843</a>; <a href=\"#r4\">Rubin 1970</a>).</p>",
    "Known (Byron 1843; Rubin 1970) [@r1; @r4]."
)]
#[case("<p>Known<sup><a href=\"#r2\">2</a>,<a href=\"#r4\">4</a></sup>.</p>", "Known<sup>2,4 [@r2; @r4]</sup>.")]
#[case(
    "<p>See <a href=\"https://journal.example/doc/1#r2\">Hubble</a> (<a href=\"https://other.example/doc#r2\">elsewhere</a>)</p>",
    "See Hubble [@r2] ([elsewhere](<https://other.example/doc#r2>))"
)]
#[case("<p>Known <a href=\"javascript:;\" reveal-id=\"r3\">(Payne)</a>.</p>", "Known (Payne) [@r3].")]
fn citations_name_their_entries(#[case] text: &str, #[case] expected: &str) {
    let text = markdown::write(&cited(text));
    assert!(text.contains(expected), "{text}");
}

#[test]
fn entries_lose_catalogue_links_and_keep_identifiers() {
    let read = cited("<p>x</p>");
    assert_eq!(read.references.len(), 4);
    assert_eq!(read.references[0].label.as_deref(), Some("1"));
    assert_eq!(plain(&read.references[0].content), "Byron A. (1843) Notes.");
    assert_eq!(read.references[0].links, ["https://doi.org/10.1/x"]);
    assert_eq!(plain(&read.references[1].content), "Hubble E. (1929) Red. arXiv:1");
    let text = markdown::write(&read);
    assert_eq!(text.matches("## References").count(), 1, "{text}");
}

#[test]
fn iop_pages_are_read() {
    let list = "<meta name=\"citation_reference\" content=\"citation_author=Byron A; citation_journal_title=Notes; citation_publication_date=1843; citation_doi=10.1000/X;\">\
        <meta name=\"citation_reference\" content=\"citation_author=Hubble E; citation_publication_date=1929;\">";
    let body = "<h1 class=\"wd-jnl-art-title\">A planet of CO<sub>2</sub></h1><div class=\"article-content\">\
        <h2 id=\"artAbst\">Abstract</h2><div class=\"article-text wd-jnl-art-abstract\" itemprop=\"description\"><p>What is said in brief about a planet that was seen in three nights by two people.</p></div>\
        <div itemprop=\"articleBody\" class=\"wd-jnl-art-full-text article-text\"><h2 class=\"header-anchor\" id=\"s1\">1. Introduction</h2>\
        <div class=\"article-text\"><p>Since <a class=\"cite\" href=\"#apjx1bib1\">Byron 1843</a> and <a class=\"cite\" href=\"#apjx1bib2\">Hubble</a>, <span class=\"inline-eqn\"><span class=\"tex\"><span class=\"texImage\"><img src=\"e.gif\" alt=\"$a$\"></span><script type=\"math/tex\">a</script></span></span>.</p>\
        <div class=\"display-eqn\" id=\"e1\"><span class=\"tex\"><span class=\"texImage\"><img src=\"e1.gif\" alt=\"Equation (1)\"></span><script type=\"math/tex; mode=display\">\\begin{equation*} \\begin{align*} \\begin{eqnarray}&amp;&amp;b=1\\end{eqnarray} \\end{align*} \\end{equation*}</script></span></div>\
        <figure data-toolbar-type=\"figure\" class=\"boxout\"><a id=\"f1\"></a><figure><img data-src=\"f1_lr.jpg\" src=\"data:,\" alt=\"Figure 1.\"><figcaption><p><strong>Figure 1.</strong> It.</p></figcaption></figure></figure>\
        <div class=\"boxout\"><a id=\"t1\"></a><p><b>Table 1.</b> Numbers</p><table><thead><tr><td>N</td><td>M</td></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div></div></div></div>";
    let read = read(&page(&format!("{HEAD}{list}"), body)).unwrap();
    let text = markdown::write(&read);
    for expected in [
        "What is said in brief",
        "## 1 Introduction {#s1}",
        "Since Byron 1843 [@apjx1bib1] and Hubble [@apjx1bib2], $a$.",
        "$$\nb=1 \\tag{1}\n$$",
        "![Figure 1](<f1_lr.jpg>)",
        "**Figure 1.** It.",
        "**Table 1.** Numbers\n\n| N | M |",
        "<a id=\"apjx1bib1\"></a>Byron A, Notes, 1843",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(read.troubles.iter().any(|trouble| trouble.kind == TroubleKind::Missing), "{:?}", read.troubles);
    assert_eq!(read.references[0].links, ["https://doi.org/10.1000/x"]);
}

#[test]
fn an_edp_page_is_read_as_far_as_its_form_is_known() {
    let head = HEAD.to_owned() + "<meta name=\"citation_publisher\" content=\"EDP Sciences\">";
    let filler = filler();
    let body = format!(
        "<div id=\"contenu\"><p class=\"title\">A planet</p><h2 class=\"sec\"><a name=\"S1\"></a>1 Introduction</h2><p>Since (<a href=\"#R1\">Byron 1843</a>), see <a href=\"#S1\">Sect. 1</a> and <a href=\"#F1\">Fig. 1</a>, <img src=\"img3.gif\" alt=\"\"> rose.</p>{filler}\
         <div class=\"inset\"><table><tr><td class=\"img\"><a name=\"F1\"></a><img src=\"fig1_small.jpg\"></td><td class=\"img-txt\"><strong>Fig. 1</strong> <p>A star.</p></td></tr></table></div>\
         <div class=\"inset\"><a name=\"T3\"></a><p><a href=\"T3.html\"><strong>Table 3</strong></a> Numbers.</p></div>\
         <h2>References</h2><ul class=\"references\"><li><a name=\"R1\"></a>Byron, A. 1843, Notes, 1 <a href=\"https://ui.adsabs.harvard.edu/abs/1843N\">[NASA ADS]</a> <a href=\"http://scholar.google.com\">[Google Scholar]</a></li>\
         <li><a name=\"R2\"></a>Hubble, E. 1929, PNAS, 15, 168 <a href=\"https://doi.org/10.1/y\">[CrossRef]</a></li></ul></div>"
    );
    let read = read(&page(&head, &body)).unwrap();
    let text = markdown::write(&read);
    for expected in [
        "## 1 Introduction {#S1}",
        "(Byron 1843) [@R1], see [Sect. 1](#S1) and [Fig. 1](#F1), `img3.gif` rose.",
        "![Fig. 1](<fig1_small.jpg>)\n\n\n**Fig. 1.** A star.",
        "**Table 3.** Numbers.",
        "- <a id=\"R1\"></a>Byron, A. 1843, Notes, 1\n",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert_eq!(read.references[0].links, ["https://ui.adsabs.harvard.edu/abs/1843N"]);
    assert_eq!(read.troubles.len(), 2, "{:?}", read.troubles);
}

#[rstest]
#[case(
    "<title>Just a moment...</title><script>window._cf_chl_opt = {};</script>",
    "<p>Checking your browser</p>",
    Wall::Cloudflare
)]
#[case("<title>Radware Bot Manager Captcha</title>", "<p>We apologize</p>", Wall::Radware)]
#[case(
    "<title>x</title>",
    "<form action=\"https://validate.perfdrive.com/abc\"><p>Please solve</p></form>",
    Wall::Radware
)]
#[case("<title>aanda.org</title>", "<script src=\"https://ct.captcha-delivery.com/c.js\"></script>", Wall::DataDome)]
#[case("<title>Are you a robot?</title>", "<div class=\"g-recaptcha\"></div>", Wall::Captcha)]
fn walls_are_known(#[case] head: &str, #[case] body: &str, #[case] wall: Wall) {
    let page = format!("<html><head>{head}</head><body>{body}</body></html>");
    assert_eq!(read(&page), Err(Refusal::BotWall(wall)));
}

#[test]
fn an_article_about_captchas_is_an_article() {
    let text = general_text(
        "<p>A captcha by Cloudflare says: just a moment. <span class=\"g-recaptcha\"></span></p><script src=\"/cdn-cgi/challenge-platform/scripts/jsd/main.js\"></script>",
    );
    assert!(text.contains("A captcha by Cloudflare says"), "{text}");
    let alone = format!(
        "<title>Captchas</title><h1>Captchas</h1>{}<script src=\"https://www.google.com/recaptcha/api.js\"></script>",
        filler()
    );
    assert!(read(&alone).is_ok());
}

#[rstest]
#[case(
    "<div class=\"wd-jnl-art-title\">A planet</div><div class=\"wd-jnl-art-abstract\"><p>In brief.</p></div><div id=\"wd-jnl-art-turn-away-panel\"><h2>Access this article</h2><p>Pay for it.</p></div>"
)]
#[case(
    "<section class=\"abstract\"><p>In brief, the planet is there, and it is round, as far as anyone can tell so far.</p></section><h2>Metrics</h2><p>Views</p>"
)]
fn an_abstract_alone_is_refused(#[case] body: &str) {
    assert_eq!(read(&page(HEAD, body)), Err(Refusal::AbstractOnly));
    assert!(Refusal::AbstractOnly.to_string().contains("abstract"));
}

#[test]
fn a_text_that_is_still_loading_is_refused() {
    let body = format!("<h2>Popular summary</h2>{}<div id=\"fulltext-content\" data-loaded=\"no\"></div>", filler());
    assert_eq!(read(&page(HEAD, &body)), Err(Refusal::AbstractOnly));
}

#[test]
fn other_pages_are_refused() {
    assert_eq!(read(""), Err(Refusal::NotAnArticle));
    assert_eq!(
        read("<html><body><h1>Journals</h1><ul><li>One</li><li>Two</li></ul></body></html>"),
        Err(Refusal::NotAnArticle)
    );
}

#[rstest]
#[case("<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", r"\frac{a}{b+1}")]
#[case("<msubsup><mi>M</mi><mo>⊙</mo><mn>2</mn></msubsup>", r"M_{\odot}^2")]
#[case("<mroot><mi>x</mi><mn>3</mn></mroot><msqrt><mi>y</mi><mi>z</mi></msqrt>", r"\sqrt[3]{x}\sqrt{yz}")]
#[case(
    "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub>",
    r"\sum_{i=1}^nx_i"
)]
#[case("<munder><mo>lim</mo><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>", r"\lim_{x\to0}")]
#[case(
    "<mover><mi>x</mi><mo>¯</mo></mover><mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>→</mo></mover>",
    r"\bar{x}\overrightarrow{AB}"
)]
#[case("<mfenced open=\"[\" close=\"]\"><mi>a</mi><mi>b</mi></mfenced>", r"[a,b]")]
#[case("<mo>(</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mo>)</mo>", r"\left(\frac{1}{2}\right)")]
#[case(
    "<mo>{</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mtext>if </mtext><mi>x</mi></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mtext>else</mtext></mtd></mtr></mtable>",
    r"\begin{cases} 1 & \text{if }x \\ 0 & \text{else} \end{cases}"
)]
#[case("<mi>α</mi><mi>x</mi><mo>&InvisibleTimes;</mo><mi>sin</mi><mi>θ</mi>", r"\alpha x\sin\theta")]
#[case(
    "<mi mathvariant=\"bold\">v</mi><mi mathvariant=\"normal\">d</mi><mi>Pm</mi><mi>𝐁</mi>",
    r"\mathbf{v}\mathrm{d}\mathrm{Pm}\mathbf{B}"
)]
#[case("<msup><mi>f</mi><mo>′</mo></msup><mn>5</mn><mo>%</mo><mo>−</mo><mn>1</mn>", r"f'5\%-1")]
#[case("<mmultiscripts><mi>C</mi><mprescripts/><none/><mn>12</mn></mmultiscripts>", r"{}^{12}C")]
#[case(
    "<mstyle displaystyle=\"true\"><mi>a</mi><mspace width=\"1em\"/><mtext>50% of_it</mtext></mstyle>",
    r"a\quad\text{50\% of\_it}"
)]
#[case(
    "<mtable columnalign=\"right left\"><mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mo>=</mo><mi>d</mi></mtd></mtr></mtable>",
    r"\begin{aligned} a & =b \\ c & =d \end{aligned}"
)]
#[case("<semantics><mi>a</mi><annotation-xml encoding=\"MathML-Content\"><ci>a</ci></annotation-xml></semantics>", "a")]
#[case("<mfoo><mi>q</mi></mfoo>", "q")]
fn mathml_becomes_tex(#[case] mathml: &str, #[case] expected: &str) {
    let html = scraper::Html::parse_fragment(&format!("<math>{mathml}</math>"));
    let math = tree::find(html.root_element(), &|element| tree::name(element) == "math").unwrap();
    assert_eq!(mathml::convert(math).tex, expected);
}

#[rstest]
#[case("<div>", "</div>")]
#[case("<b><i>", "</i></b>")]
#[case("<figure>", "</figure>")]
#[case("<ul><li>", "</li></ul>")]
#[case("<table><tr><td>", "</td></tr></table>")]
#[case("<blockquote>", "</blockquote>")]
#[case("<section class=\"statement\">", "</section>")]
#[case("<div class=\"share\">", "</div>")]
fn a_page_that_is_nested_two_thousand_times_is_read(#[case] open: &str, #[case] close: &str) {
    let deep = format!("{}words{}", open.repeat(2_000), close.repeat(2_000));
    let _ = markdown::write(&general(&deep));
}

#[test]
fn a_formula_that_is_nested_two_thousand_times_is_read() {
    let deep =
        format!("<p><math>{}<mi>x</mi>{}</math></p>", "<mrow><msup>".repeat(1_000), "</msup></mrow>".repeat(1_000));
    assert!(general_text(&deep).contains('x'));
}

#[test]
fn what_nests_too_deeply_loses_its_tags_only() {
    let page = format!("{}words{}<p>after</p>", "<div>".repeat(600), "</div>".repeat(600));
    let shallow = html::shallow(&page);
    assert_eq!(shallow.matches("<div>").count(), 512);
    assert_eq!(shallow.matches("</div>").count(), 512);
    assert!(shallow.contains("words") && shallow.ends_with("<p>after</p>"));
    let plain = "<p>a<p>b<script>\"<div>\"</script>".repeat(600);
    assert!(matches!(html::shallow(&plain), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn formulas_are_counted_before_they_are_read() {
    let read = general(
        "<p><math><mi>a</mi></math> and <span class=\"inline-formula\"><math><mi>b</mi></math><script type=\"math/tex\">b</script></span></p>\
         <div class=\"disp-formula\"><math display=\"block\"><mi>c</mi></math></div>",
    );
    assert_eq!(read.counted.formulas, Some(3));
}
