//! Pages that stand before the article: checks for robots.
//!
//! A wall is known by what its maker puts into it, never by a word in the text: an article may well be about captchas, and
//! an article's page may carry a captcha for its comment form.

use super::meta::Meta;
use super::tree::{any_class, attr, find, name, text_until};
use scraper::ElementRef;

/// Who stands between the reader and the article.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wall {
    /// Cloudflare's "Just a moment".
    Cloudflare,
    /// Radware's Bot Manager, also called `ShieldSquare` or `perfdrive`; IOP has it.
    Radware,
    /// `DataDome`; EDP has it.
    DataDome,
    /// Any other captcha or refusal.
    Captcha,
}

impl std::fmt::Display for Wall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cloudflare => "Cloudflare",
            Self::Radware => "Radware, perfdrive.com",
            Self::DataDome => "DataDome",
            Self::Captcha => "a captcha",
        })
    }
}

/// A wall has little to say.
const LITTLE: usize = 4_000;

/// What the makers of walls put into them: in an address or a script.
const MARKS: [(&str, Wall); 15] = [
    ("_cf_chl_opt", Wall::Cloudflare),
    ("/cdn-cgi/challenge-platform/h/", Wall::Cloudflare),
    ("/cdn-cgi/styles/challenges.css", Wall::Cloudflare),
    ("cf-browser-verification", Wall::Cloudflare),
    ("validate.perfdrive.com", Wall::Radware),
    ("perfdrive.com/captcha", Wall::Radware),
    ("captcha.perfdrive.com", Wall::Radware),
    ("shieldsquare", Wall::Radware),
    ("captcha-delivery.com", Wall::DataDome),
    ("_Incapsula_Resource", Wall::Captcha),
    ("px-captcha", Wall::Captcha),
    ("awsWafCookieDomainList", Wall::Captcha),
    ("hcaptcha.com/captcha", Wall::Captcha),
    ("recaptcha/api", Wall::Captcha),
    ("challenges.cloudflare.com/turnstile", Wall::Captcha),
];

/// The wall that a page is, if it is one.
pub(super) fn wall(root: ElementRef<'_>, meta: &Meta) -> Option<Wall> {
    if meta.is_article() {
        return None;
    }
    let words = text_until(root, LITTLE + 1, &|element| matches!(name(element), "noscript" | "head"));
    if words.len() > LITTLE {
        return None;
    }
    let title = find(root, &|element| name(element) == "title").map(|title| text_until(title, 200, &|_| false));
    let title = title.unwrap_or_default().to_lowercase();
    if title.contains("radware") || title.contains("shieldsquare") {
        return Some(Wall::Radware);
    }
    if title.contains("cloudflare") {
        return Some(Wall::Cloudflare);
    }
    // The makers' own marks count first, the general ones after all of them.
    let mut found: Option<Wall> = None;
    for element in super::tree::below(root) {
        if element.value().id().is_some_and(|id| id.starts_with("challenge-") || id == "cf-wrapper") {
            return Some(Wall::Cloudflare);
        }
        let script = if name(element) == "script" { element.text().collect::<String>() } else { String::new() };
        let addresses = [attr(element, "src"), attr(element, "href"), attr(element, "action"), attr(element, "id")];
        let all = addresses.into_iter().flatten().chain(std::iter::once(script.as_str()));
        for text in all {
            for (mark, wall) in MARKS {
                if text.contains(mark) {
                    if wall != Wall::Captcha {
                        return Some(wall);
                    }
                    found = Some(wall);
                }
            }
        }
        if any_class(element, &["g-recaptcha", "h-captcha", "cf-turnstile"]) {
            found = Some(Wall::Captcha);
        }
    }
    if title.starts_with("just a moment") {
        return Some(Wall::Cloudflare);
    }
    let says_no = ["captcha", "access denied", "are you a robot", "bot check", "human verification", "request blocked"];
    if says_no.iter().any(|words| title.contains(words)) {
        return Some(Wall::Captcha);
    }
    // A captcha for comments stands on a page with text; a wall has hardly any.
    found.filter(|_| words.len() < LITTLE / 2)
}
