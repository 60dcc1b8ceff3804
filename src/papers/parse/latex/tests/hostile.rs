//! Archives and texts that mean harm.

use super::*;
use std::time::{Duration, Instant};

const SMALL: Limits = Limits { files: 20, unpacked: 1_000_000, text: 100_000 };

fn quick(text: &str) -> Document {
    let start = Instant::now();
    let read = read(text.as_bytes()).unwrap();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    read
}

#[test]
fn a_gzip_bomb_is_refused() {
    let bomb = gzip(&vec![b' '; 5_000_000]);
    assert!(bomb.len() < 10_000);
    assert!(matches!(read_within(&bomb, SMALL), Err(Refusal::TooLarge(_))));
}

#[test]
fn a_tar_in_a_bomb_and_a_text_too_large_are_left_out() {
    let big = "x".repeat(200_000);
    let main = paper("article", "", "Small.");
    let read = read_within(&gzip(&tar(&[("a.tex", &big), ("main.tex", &main)])), SMALL).unwrap();
    assert_eq!(whats(&read), ["the text a.tex is too large"]);
    let many: Vec<(String, &str)> = (0..30).map(|at| (format!("{at}.tex"), "x")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    assert!(matches!(read_within(&tar(&many), SMALL), Err(Refusal::TooLarge(_))));
}

#[test]
fn paths_that_leave_the_archive_and_links_are_not_followed() {
    let mut builder = tar::Builder::new(Vec::new());
    let main = paper("article", "", "Text. \\input{../secret} \\input{/etc/passwd} \\input{link}");
    for (path, text) in
        [("../secret.tex", "SECRET"), ("/etc/passwd", "SECRET"), ("a/../../b.tex", "SECRET"), ("main.tex", &main)]
    {
        let mut header = tar::Header::new_gnu();
        // The library itself refuses to write such a path.
        if let Some(field) = header.as_mut_bytes().get_mut(..path.len()) {
            field.copy_from_slice(path.as_bytes());
        }
        header.set_size(text.len() as u64);
        header.set_cksum();
        builder.append(&header, text.as_bytes()).unwrap();
    }
    for kind in [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Char] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_path("link.tex").unwrap();
        header.set_link_name("/etc/passwd").unwrap();
        header.set_cksum();
        builder.append(&header, &[][..]).unwrap();
    }
    let read = read(&gzip(&builder.into_inner().unwrap())).unwrap();
    assert!(!markdown::write(&read).contains("SECRET"));
    let counts: Vec<(&str, u32)> = read.troubles.iter().map(|trouble| (trouble.what.as_str(), trouble.count)).collect();
    assert!(counts.contains(&("a file whose path leaves the archive", 3)), "{counts:?}");
    assert!(counts.contains(&("a link or a device in the archive", 3)), "{counts:?}");
    assert!(counts.contains(&("the file ../secret is not in the archive", 1)), "{counts:?}");
}

#[test]
fn a_zip_is_read() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (path, text) in [("main.tex", paper("article", "", "From a zip.")), ("../x.tex", "SECRET".to_owned())] {
        writer.start_file(path, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    let read = read(&writer.finish().unwrap().into_inner()).unwrap();
    assert!(markdown::write(&read).contains("From a zip."));
    assert_eq!(whats(&read), ["a file whose path leaves the archive"]);
}

#[rstest]
#[case(b"%PDF-1.5", Refusal::Pdf)]
#[case(b"", Refusal::NotLatex)]
#[case(b"\x00\x01\x02", Refusal::NotLatex)]
#[case(b"\\documentclass{article}\\begin{document}\\end{document}", Refusal::Empty)]
fn what_is_no_source_is_refused(#[case] bytes: &[u8], #[case] expected: Refusal) {
    assert_eq!(read(bytes), Err(expected));
}

#[test]
fn a_damaged_archive_is_read_as_far_as_it_goes() {
    let whole = tar(&[("main.tex", &paper("article", "", "Text.")), ("b.tex", &"b".repeat(5_000))]);
    let cut = whole.get(..3_000).unwrap();
    assert!(markdown::write(&read(cut).unwrap()).contains("Text."));
    let packed = gzip(&whole);
    for end in (0..packed.len()).step_by(7) {
        // Whatever comes of it, it comes.
        drop(read(packed.get(..end).unwrap()));
    }
}

#[rstest]
#[case("\\def\\a{x\\a}\\a")]
#[case("\\def\\a{\\a\\a}\\a")]
#[case("\\def\\a{\\b\\b}\\def\\b{\\a\\a}$\\a$")]
#[case("\\def\\a#1{\\a{#1#1}}\\a{xy}")]
#[case("\\def\\a#1{\\footnote{\\a{#1}}}\\a{x}")]
#[case("\\newenvironment{a}{\\begin{a}}{\\end{a}}\\begin{a}")]
fn macros_without_end_stop(#[case] body: &str) {
    let read = quick(&paper("article", "", &format!("Before. {body} After.")));
    let text = markdown::write(&read);
    assert!(text.contains("Before."), "{text}");
    assert!(!read.troubles.is_empty());
    assert!(text.len() < 5_000_000, "{}", text.len());
}

#[test]
fn a_recursive_macro_is_kept_as_source() {
    let read = quick(&paper("article", "", "\\def\\a{x\\a}\\a{} After."));
    let text = markdown::write(&read);
    assert!(text.contains("`\\a`") && text.contains("After."), "{text}");
    assert!(whats(&read).contains(&"the macro \\a expands without end"), "{:?}", read.troubles);
}

#[test]
fn macros_that_double_thirty_times_stop() {
    let mut body = String::from("\\def\\aa{xxxxxxxxxx}");
    let names: Vec<String> = (0..30_u8)
        .map(|at| format!("m{}", char::from(b'a' + at % 26).to_string().repeat(1 + usize::from(at / 26))))
        .collect();
    let mut last = "aa".to_owned();
    for name in names {
        body.push_str(&format!("\\def\\{name}{{\\{last}\\{last}}}"));
        last = name;
    }
    let read = quick(&paper("article", "", &format!("{body}\\{last}{{}} After.")));
    assert!(read.troubles.iter().any(|trouble| trouble.what.contains("without end")), "{:?}", read.troubles);
}

#[test]
fn files_that_read_each_other_stop() {
    let main = paper("article", "", "A \\input{b} Z");
    let read =
        read(&tar(&[("main.tex", &main), ("b.tex", "B \\input{c}"), ("c.tex", "C \\input{b} \\input{main}")])).unwrap();
    assert!(markdown::write(&read).contains("A B C Z"), "{}", markdown::write(&read));
    assert_eq!(whats(&read), ["the file b.tex is read inside itself", "the file main.tex is read inside itself"]);
}

#[test]
fn files_that_are_read_again_and_again_stop() {
    let mut files = vec![("main.tex".to_owned(), paper("article", "", "\\input{f0}"))];
    for at in 0..15 {
        files.push((format!("f{at}.tex"), format!("\\input{{f{0}}}\\input{{f{0}}}\\input{{f{0}}} word ", at + 1)));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let start = Instant::now();
    read(&tar(&files)).unwrap();
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[rstest]
#[case("{")]
#[case("}")]
#[case("\\begin{itemize}\\item ")]
#[case("\\begin{quote}")]
#[case("\\begin{verbatim}")]
#[case("\\begin{tabular}{c}")]
#[case("\\begin{figure}")]
#[case("\\begin{odd}")]
#[case("\\end{odd}")]
#[case("\\footnote{")]
#[case("\\textbf{")]
#[case("\\emph")]
#[case("\\section{")]
#[case("\\\\[")]
#[case("\\cite[")]
#[case("$")]
#[case("$$")]
#[case("$\\text{")]
#[case("\\[ {")]
#[case("\\begin{equation}")]
#[case("\\begin{align}\\\\")]
#[case("\\begin{subequations}")]
#[case("&")]
#[case("\\iffalse")]
#[case("\\ifx")]
#[case("\\csname")]
#[case("\\def\\a#1")]
#[case("\\newcommand{\\a}[9]{")]
#[case("\\author{")]
#[case("\\caption{")]
#[case("\\subfloat[a]{")]
#[case("\\multicolumn{")]
#[case("\\label{a}\\ref{a}")]
#[case("\\'")]
#[case("\\verb|")]
#[case("\\char")]
#[case("\\input{main}")]
#[case("\\begin{thebibliography}{}\\bibitem{a}")]
#[case("\\SI{\\a")]
#[case("\\hskip ")]
#[case("#1")]
#[case("\\\u{e9}")]
fn the_same_twenty_thousand_times_is_read_in_time(#[case] piece: &str) {
    let text = paper("article", "", &format!("Words. {}", piece.repeat(20_000)));
    let start = Instant::now();
    let read = read(text.as_bytes());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    if let Ok(read) = read {
        drop(markdown::write(&read));
    }
}

#[test]
fn every_beginning_of_a_paper_is_read() {
    for text in [papers::AASTEX, papers::AA, papers::MNRAS] {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            if let Ok(read) = read(text.get(..end).unwrap().as_bytes()) {
                drop(markdown::write(&read));
            }
        }
    }
}
