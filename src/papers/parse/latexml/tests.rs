use super::*;
use crate::papers::parse::markdown;
use rstest::rstest;

fn page(body: &str) -> String {
    format!(
        "<!DOCTYPE html><html><body><div id=\"watermark-tr\">arXiv:2501.00001v2 [astro-ph.EP] 1 Jan 2025</div>\
         <article class=\"ltx_document\"><h1 class=\"ltx_title ltx_title_document\">A  planet<span class=\"ltx_note ltx_role_footnote\">\
         <sup class=\"ltx_note_mark\">1</sup><span class=\"ltx_note_outer\"><span class=\"ltx_note_content\"><sup class=\"ltx_note_mark\">1</sup>\
         Seen by chance.</span></span></span></h1>\
         <div class=\"ltx_authors\"><span class=\"ltx_creator ltx_role_author\"><span class=\"ltx_personname\">Ada Byron</span>\
         <span class=\"ltx_author_notes\"><span class=\"ltx_contact ltx_role_affiliation\">La Silla</span></span></span></div>\
         <div class=\"ltx_abstract\"><h6 class=\"ltx_title ltx_title_abstract\">Abstract</h6><p class=\"ltx_p\">Short.</p></div>{body}</article></body></html>"
    )
}

fn markdown_of(body: &str) -> String {
    markdown::write(&read(&page(body)).unwrap())
}

#[test]
fn the_front_is_read() {
    let read = read(&page("<div class=\"ltx_para\"><p class=\"ltx_p\">Text.</p></div>")).unwrap();
    assert_eq!(plain(&read.front.title), "A planet");
    assert_eq!(read.front.authors, [Author { name: "Ada Byron".into(), affiliations: vec!["La Silla".into()] }]);
    assert_eq!(read.front.arxiv.as_deref(), Some("2501.00001v2"));
    assert_eq!(read.footnotes.len(), 1, "a footnote with two marks is one");
    let text = markdown::write(&read);
    assert!(text.contains("# A planet[^1]") && text.contains("[^1]: Seen by chance."), "{text}");
    assert!(text.contains("## Abstract {#abstract}\n\nShort.\n\nText."), "{text}");
}

#[rstest]
#[case(
    "<section class=\"ltx_section\" id=\"S2\"><h2 class=\"ltx_title ltx_title_section\"><span class=\"ltx_tag\">2 </span>Data_1</h2>\
     <section class=\"ltx_subsection\" id=\"S2.SS1\"><h3 class=\"ltx_title\"><span class=\"ltx_tag\">2.1 </span>Stars</h3></section></section>",
    "## 2 Data\\_1 {#S2}\n\n### 2.1 Stars {#S2.SS1}"
)]
#[case(
    "<p class=\"ltx_p\">Let <math alttext=\"a<b\"><mi>a</mi></math><math alttext=\"c\"><mi>c</mi></math> be, see <a class=\"ltx_ref\" href=\"#S2\">2</a>.</p>",
    "Let $a<b$ $c$ be, see [2](#S2)."
)]
#[case(
    "<table class=\"ltx_equation\" id=\"E1\"><tr><td><math alttext=\"\\displaystyle E=mc^{2}\"></math></td><td><span class=\"ltx_tag ltx_tag_equation\">(7)</span></td></tr></table>",
    "<a id=\"E1\"></a>\n\n$$\nE=mc^{2} \\tag{7}\n$$"
)]
#[case(
    "<p class=\"ltx_p\">Known <cite class=\"ltx_cite\">(<a href=\"#bib.bib1\" class=\"ltx_ref\">Byron 1843</a>; <a href=\"#bib.bib2\" class=\"ltx_ref\">Hubble</a>)</cite>.</p>",
    "Known (Byron 1843; Hubble) [@bib.bib1; @bib.bib2]."
)]
#[case(
    "<figure class=\"ltx_table\" id=\"T1\"><figcaption class=\"ltx_caption\"><span class=\"ltx_tag\">Table 1: </span>Stars</figcaption>\
     <table class=\"ltx_tabular\"><thead><tr><th class=\"ltx_td ltx_th_column\">Name</th><th class=\"ltx_td ltx_th_column\">V|mag</th></tr></thead>\
     <tbody><tr><td class=\"ltx_td\">Vega</td><td class=\"ltx_td\"><math alttext=\"|x|\"></math></td></tr></tbody></table></figure>",
    "**Table 1.** Stars\n\n| Name | V\\|mag |\n| --- | --- |\n| Vega | $\\|x\\|$ |"
)]
#[case(
    "<figure class=\"ltx_table\"><table class=\"ltx_tabular\"><tr><td class=\"ltx_td\" colspan=\"2\">a &amp; b</td></tr></table></figure>",
    "<table>\n<tr><td colspan=\"2\">a &amp; b</td></tr>\n</table>"
)]
#[case(
    "<figure class=\"ltx_figure\" id=\"F1\"><img src=\"x1.png\"><figcaption><span class=\"ltx_tag\">Figure 1: </span>A *star*.</figcaption></figure>",
    "![Figure 1](<x1.png>)\n\n\n**Figure 1.** A \\*star\\*."
)]
#[case("<p class=\"ltx_p\">1. is no list, <b>nor</b> $5.</p>", "1\\. is no list, **nor** \\$5.")]
#[case(
    "<div class=\"ltx_listing\"><div class=\"ltx_listingline\">for <math alttext=\"i=0\"><mi>i</mi><mo>=</mo><mn>0</mn></math> do</div>\
     <div class=\"ltx_listingline\">  end</div></div>",
    "```\nfor i=0 do\n  end\n```"
)]
fn each_thing_has_its_form(#[case] body: &str, #[case] expected: &str) {
    let text = markdown_of(body);
    assert!(text.contains(expected), "{text}");
}

#[test]
fn faults_are_counted_and_other_pages_refused() {
    let read = read(&page("<p class=\"ltx_p\"><span class=\"ltx_ERROR undefined\">\\foo</span> and text</p>")).unwrap();
    assert_eq!(read.troubles.len(), 1);
    assert!(markdown::write(&read).contains("`\\foo` and text"));
    assert_eq!(super::read("<html><body>hello</body></html>"), Err(Refusal::NotLatexml));
    assert_eq!(super::read("<div class=\"ltx_document\"></div>"), Err(Refusal::Empty));
}

#[test]
fn a_page_that_is_nested_two_thousand_times_is_read() {
    let deep = format!("{}words{}", "<div>".repeat(2_000), "</div>".repeat(2_000));
    let text = markdown_of(&deep);
    assert!(text.contains("words"), "{text}");
}

#[test]
fn xhtml_closes_its_elements_by_itself() {
    let page = "<?xml version=\"1.0\"?><html><head><script src=\"a.js\"/></head><body><div class=\"ltx_document\"><p class=\"ltx_p\">Text<br/>goes on.</p></div></body></html>";
    assert!(markdown::write(&read(page).unwrap()).contains("Text goes on."));
}

#[rstest]
#[case::with_its_tex("a<math alttext=\"x>y\"><mi>x</mi></math>b", "a<math alttext=\"x>y\"></math>b")]
#[case::without("<math><mi>x</mi></math>", "<math><mi>x</mi></math>")]
#[case::one_in_another(
    "<math alttext=\"x\"><mtext><math alttext=\"y\"></math></mtext></math>c",
    "<math alttext=\"x\"></math>c"
)]
#[case::an_error_is_kept(
    "<math alttext=\"x\"><merror class=\"ltx_ERROR\">x</merror></math>",
    "<math alttext=\"x\"><merror class=\"ltx_ERROR\">x</merror></math>"
)]
#[case::never_closed("<math alttext=\"x\"><mi>x</mi><p>text", "<math alttext=\"x\"><mi>x</mi><p>text")]
#[case::other_names("<mathx alttext=\"x\">y</mathx></math>", "<mathx alttext=\"x\">y</mathx></math>")]
fn only_mathml_that_is_never_looked_at_is_left_out(#[case] page: &str, #[case] expected: &str) {
    assert_eq!(super::tree::without_mathml(page), expected);
}
