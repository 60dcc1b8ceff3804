//! Signs that papers build themselves.

use super::gullet::Gullet;
use super::token::{Name, Token};
use std::rc::Rc;

impl Gullet {
    /// Signs that papers still build from boxes become the signs that they are.
    pub(super) fn modern(&mut self, name: Name, body: Vec<Token>) -> Vec<Token> {
        const BOXES: [&str; 15] = [
            "lower",
            "raise",
            "rlap",
            "llap",
            "oalign",
            "ooalign",
            "mathchoice",
            "vcenter",
            "spose",
            "lineskip",
            "raisebox",
            "mathpalette",
            "buildrel",
            "ltsima",
            "gtsima",
        ];
        const LESS: [&str; 10] =
            ["lsim", "simlt", "lta", "ltsim", "ltsima", "la", "lesssim", "lapprox", "simless", "lessim"];
        const GREATER: [&str; 10] =
            ["gsim", "simgt", "gta", "gtsim", "gtsima", "ga", "gtrsim", "gapprox", "simgreat", "grtsim"];
        if body.len() > 120 {
            return body;
        }
        let names: Vec<Rc<str>> = body
            .iter()
            .filter_map(|token| if let Token::Control(name) = token { Some(self.pool.text(*name)) } else { None })
            .collect();
        if !names.iter().any(|name| BOXES.contains(&&**name)) {
            return body;
        }
        let text = self.pool.text(name);
        let similar = names.iter().any(|name| &**name == "sim");
        let sign = if LESS.contains(&&*text) || (similar && body.contains(&Token::Char('<'))) {
            "lesssim"
        } else if GREATER.contains(&&*text) || (similar && body.contains(&Token::Char('>'))) {
            "gtrsim"
        } else {
            return body;
        };
        let (ensure, sign) = (self.pool.name("ensuremath"), self.pool.name(sign));
        vec![Token::Control(ensure), Token::Open, Token::Control(sign), Token::Close]
    }
}
