//! The answers: written here after the services' formats, for a handful of real papers about TRAPPIST-1 b. Abstracts are
//! our own summaries.

use serde_json::{Value, json};

/// A paper as both services describe it.
pub struct Entry {
    pub bibcode: &'static str,
    /// The e-print's own bibcode, which ADS keeps as an alternate.
    pub eprint_bibcode: &'static str,
    pub arxiv: &'static str,
    pub version: u32,
    pub doi: &'static str,
    pub title: &'static str,
    /// Given name, family name.
    pub authors: &'static [(&'static str, &'static str)],
    pub journal: &'static str,
    pub bibstem: &'static str,
    pub volume: &'static str,
    pub page: &'static str,
    pub pubdate: &'static str,
    /// Date of the e-print's first version.
    pub submitted: &'static str,
    pub citations: u32,
    pub comment: &'static str,
    pub summary: &'static str,
    pub in_ads: bool,
    /// Whether arXiv's search finds it (its `id_list` always does).
    pub in_arxiv_search: bool,
}

pub const ENTRIES: &[Entry] = &[
    Entry {
        bibcode: "2023Natur.618...39G",
        eprint_bibcode: "2023arXiv230314849G",
        arxiv: "2303.14849",
        version: 1,
        doi: "10.1038/s41586-023-05951-7",
        title: "Thermal emission from the Earth-sized exoplanet TRAPPIST-1 b using JWST",
        authors: &[
            ("Thomas P.", "Greene"),
            ("Taylor J.", "Bell"),
            ("Elsa", "Ducrot"),
            ("Achrène", "Dyrek"),
            ("Pierre-Olivier", "Lagage"),
            ("Jonathan J.", "Fortney"),
        ],
        journal: "Nature",
        bibstem: "Natur",
        volume: "618",
        page: "39",
        pubdate: "2023-06-00",
        submitted: "2023-03-27",
        citations: 214,
        comment: "Published in Nature",
        summary: "Five secondary eclipses observed with MIRI at 15 microns give a dayside brightness temperature of about \
                  503 K, which is what a dark surface without heat redistribution would show. The data leave no room for a \
                  thick atmosphere rich in carbon dioxide.",
        in_ads: true,
        in_arxiv_search: true,
    },
    Entry {
        bibcode: "2023ApJ...952L...4I",
        eprint_bibcode: "2023arXiv230510414I",
        arxiv: "2305.10414",
        version: 2,
        doi: "10.3847/2041-8213/ace03b",
        title: "Constraining the Thickness of TRAPPIST-1 b's Atmosphere from Its JWST Secondary Eclipse Observation at 15 μm",
        authors: &[("Jegug", "Ih"), ("Eliza M. -R.", "Kempton"), ("Emily A.", "Whittaker"), ("Madeline", "Lessard")],
        journal: "The Astrophysical Journal",
        bibstem: "ApJL",
        volume: "952",
        page: "L4",
        pubdate: "2023-07-00",
        submitted: "2023-05-17",
        citations: 71,
        comment: "13 pages, 5 figures, accepted for publication in ApJ Letters",
        summary: "Model atmospheres are compared with the 15 micron eclipse depth. Surface pressures above 0.3 bar are excluded \
                  when at least 100 ppm of CO2 is present; very thin atmospheres and bare rock remain possible.",
        in_ads: true,
        in_arxiv_search: true,
    },
    Entry {
        bibcode: "2023ApJ...955L..22L",
        eprint_bibcode: "2023arXiv230907047L",
        arxiv: "2309.07047",
        version: 1,
        doi: "10.3847/2041-8213/acf7c4",
        title: "Atmospheric Reconnaissance of TRAPPIST-1 b with JWST/NIRISS: Evidence for Strong Stellar Contamination in the \
                Transmission Spectra",
        authors: &[("Olivia", "Lim"), ("Björn", "Benneke"), ("René", "Doyon"), ("Ryan J.", "MacDonald")],
        journal: "The Astrophysical Journal",
        bibstem: "ApJL",
        volume: "955",
        page: "L22",
        pubdate: "2023-09-00",
        submitted: "2023-09-13",
        citations: 118,
        comment: "30 pages, 12 figures",
        summary: "Two transits with NIRISS/SOSS show slopes that come from spots and faculae on the star. After correcting for \
                  them, clear hydrogen-rich atmospheres are ruled out; denser ones cannot be told from no atmosphere.",
        in_ads: true,
        in_arxiv_search: true,
    },
    Entry {
        bibcode: "2025NatAs...9..358D",
        eprint_bibcode: "2024arXiv241211627D",
        arxiv: "2412.11627",
        version: 1,
        doi: "10.1038/s41550-024-02428-z",
        title: "Combined analysis of the 12.8 and 15 μm JWST/MIRI eclipse observations of TRAPPIST-1 b",
        authors: &[("Elsa", "Ducrot"), ("Pierre-Olivier", "Lagage"), ("Michiel", "Min"), ("Michaël", "Gillon")],
        journal: "Nature Astronomy",
        bibstem: "NatAs",
        volume: "9",
        page: "358",
        pubdate: "2025-03-00",
        submitted: "2024-12-16",
        citations: 39,
        comment: "Accepted in Nature Astronomy",
        summary: "Eclipses at two wavelengths are fitted together. An airless planet with an ultramafic, little weathered \
                  surface explains both; so does a CO2 atmosphere with hazes that invert its temperature profile.",
        in_ads: true,
        in_arxiv_search: true,
    },
    Entry {
        bibcode: "2017Natur.542..456G",
        eprint_bibcode: "2017arXiv170301424G",
        arxiv: "1703.01424",
        version: 1,
        doi: "10.1038/nature21360",
        title: "Seven temperate terrestrial planets around the nearby ultracool dwarf star TRAPPIST-1",
        authors: &[("Michaël", "Gillon"), ("Amaury H. M. J.", "Triaud"), ("Brice-Olivier", "Demory")],
        journal: "Nature",
        bibstem: "Natur",
        volume: "542",
        page: "456",
        pubdate: "2017-02-00",
        submitted: "2017-03-04",
        citations: 1480,
        comment: "",
        summary: "Transit photometry shows at least seven planets with Earth-like sizes around TRAPPIST-1, six of them in a \
                  near-resonant chain.",
        in_ads: true,
        in_arxiv_search: false,
    },
    Entry {
        bibcode: "2022ApJ...933..115K",
        eprint_bibcode: "2022arXiv220704164K",
        arxiv: "2207.04164",
        version: 1,
        doi: "10.3847/1538-4357/ac69cb",
        title: "Predictions for Observable Atmospheres of Trappist-1 Planets from a Fully Coupled Atmosphere-Interior \
                Evolution Model",
        authors: &[("Joshua", "Krissansen-Totton"), ("Jonathan J.", "Fortney")],
        journal: "The Astrophysical Journal",
        bibstem: "ApJ",
        volume: "933",
        page: "115",
        pubdate: "2022-07-00",
        submitted: "2022-07-09",
        citations: 62,
        comment: "23 pages",
        summary: "Coupled models of interior and atmosphere predict which TRAPPIST-1 planets keep an atmosphere; the innermost \
                  ones probably lose theirs unless they began with much water.",
        in_ads: false,
        in_arxiv_search: true,
    },
];

impl Entry {
    fn answers_to(&self, name: &str) -> bool {
        let bare = name.trim_start_matches("arXiv:");
        let unversioned = bare.split_once('v').map_or(bare, |(id, _)| id);
        [self.bibcode, self.eprint_bibcode].contains(&bare)
            || self.doi.eq_ignore_ascii_case(bare)
            || self.arxiv == unversioned
    }

    /// Whether a search with these words finds it: about the star, or by one of its authors.
    fn matches(&self, query: &str) -> bool {
        let query = query.to_lowercase();
        let about = ["trappist", "exoplanet atmosphere"].iter().any(|word| query.contains(word));
        about || self.authors.iter().any(|(_, family)| query.contains(&family.to_lowercase()))
    }

    fn ads_doc(&self) -> Value {
        let names: Vec<String> = self.authors.iter().map(|(given, family)| format!("{family}, {given}")).collect();
        json!({
            "bibcode": self.bibcode,
            "identifier": [self.eprint_bibcode, self.doi, format!("10.48550/arXiv.{}", self.arxiv),
                           format!("arXiv:{}", self.arxiv), self.bibcode],
            "alternate_bibcode": [self.eprint_bibcode],
            "doi": [self.doi, format!("10.48550/arXiv.{}", self.arxiv)],
            "title": [self.title],
            "author": names,
            "orcid_pub": names.iter().map(|_| "-").collect::<Vec<_>>(),
            "abstract": self.summary,
            "pub": self.journal,
            "bibstem": [self.bibstem, format!("{}..{}", self.bibstem, self.volume)],
            "volume": self.volume,
            "page": [self.page],
            "year": &self.pubdate[..4],
            "pubdate": self.pubdate,
            "doctype": "article",
            "keyword": ["Exoplanet atmospheres", "Infrared astronomy"],
            "citation_count": self.citations,
            "property": ["ARTICLE", "REFEREED", "EPRINT_OPENACCESS"],
        })
    }

    fn atom_entry(&self) -> String {
        let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
        let (id, version) = (self.arxiv, self.version);
        let authors: String = self
            .authors
            .iter()
            .map(|(given, family)| format!("<author><name>{given} {family}</name></author>"))
            .collect();
        let comment = match self.comment {
            "" => String::new(),
            text => format!("<arxiv:comment>{}</arxiv:comment>", escape(text)),
        };
        format!(
            "<entry><id>http://arxiv.org/abs/{id}v{version}</id><title>{}</title><updated>{}T12:00:00Z</updated>\
             <link href=\"https://arxiv.org/abs/{id}v{version}\" rel=\"alternate\" type=\"text/html\"/>\
             <summary>{}</summary><category term=\"astro-ph.EP\" scheme=\"http://arxiv.org/schemas/atom\"/>\
             <published>{}T12:00:00Z</published>{comment}<arxiv:primary_category term=\"astro-ph.EP\"/>\
             <arxiv:doi>{}</arxiv:doi>{authors}</entry>",
            escape(self.title),
            self.submitted,
            escape(self.summary),
            self.submitted,
            self.doi,
        )
    }
}

/// The body of `/search/query`.
pub fn ads(query: &str, rows: usize) -> String {
    let identifier = query.strip_prefix("identifier:\"").and_then(|rest| rest.split('"').next());
    let found: Vec<&Entry> = ENTRIES
        .iter()
        .filter(|entry| entry.in_ads)
        .filter(|entry| match identifier {
            Some(name) => entry.answers_to(name),
            None => entry.matches(query),
        })
        .collect();
    let docs: Vec<Value> = found.iter().take(rows).map(|entry| entry.ads_doc()).collect();
    json!({
        "responseHeader": {"status": 0, "QTime": 12, "params": {"q": query, "wt": "json"}},
        "response": {"numFound": found.len(), "start": 0, "numFoundExact": true, "docs": docs},
    })
    .to_string()
}

/// The feed for an `id_list`, or for a `search_query`; `hide` leaves the entries out and keeps the total.
pub fn arxiv(search: &str, ids: &str, rows: usize, hide: bool) -> String {
    let found: Vec<&Entry> = if ids.is_empty() {
        ENTRIES.iter().filter(|entry| entry.in_arxiv_search && entry.matches(search)).collect()
    } else {
        ENTRIES.iter().filter(|entry| ids.split(',').any(|id| entry.answers_to(id))).collect()
    };
    let shown = if hide { 0 } else { rows };
    feed(found.len(), &found.iter().take(shown).map(|entry| entry.atom_entry()).collect::<String>())
}

/// arXiv's way to say that a request is malformed.
pub fn arxiv_error(summary: &str) -> String {
    feed(
        1,
        &format!(
            "<entry><id>https://arxiv.org/api/errors#malformed</id><title>Error</title><summary>{summary}</summary>\
             <author><name>arXiv api core</name></author></entry>"
        ),
    )
}

fn feed(total: usize, entries: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<feed xmlns:opensearch=\"http://a9.com/-/spec/opensearch/1.1/\" \
         xmlns:arxiv=\"http://arxiv.org/schemas/atom\" xmlns=\"http://www.w3.org/2005/Atom\">\
         <id>https://arxiv.org/api/x</id><title>arXiv Query</title><updated>2026-04-12T22:10:19Z</updated>\
         <opensearch:itemsPerPage>10</opensearch:itemsPerPage><opensearch:totalResults>{total}</opensearch:totalResults>\
         <opensearch:startIndex>0</opensearch:startIndex>{entries}</feed>"
    )
}

/// Sesame's answer to a name; blanks and case do not matter for the few that are known.
pub fn sesame(name: &str) -> String {
    let key: String = name.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    let simbad = |inner: &str| format!("<Resolver name=\"S=Simbad (CDS, via url)\">{inner}</Resolver>");
    let answer = match key.as_str() {
        "trappist-1b" => simbad(
            "<oid>@16121451</oid><otype>Pl</otype><jpos>23:06:29.35 -05:02:29.0</jpos><jradeg>346.6223</jradeg>\
             <jdedeg>-5.0414</jdedeg><refPos>2020yCat.1350....0G</refPos><errRAmas>0.087</errRAmas><errDEmas>0.069</errDEmas>\
             <pm><v>1046.8</v><pa>117.2</pa><pmRA>930.788</pmRA><epmRA>0.093</epmRA><pmDE>-479.038</pmDE><epmDE>0.068</epmDE></pm>\
             <plx><v>80.2123</v><e>0.0716</e></plx><oname>TRAPPIST-1b</oname><alias>TRAPPIST-1b</alias>\
             <alias>2MASS J23062928-0502285b</alias><alias>K2-112  b</alias><nrefs>312</nrefs>",
        ),
        "trappist-1" => simbad(
            "<otype>LM*</otype><jpos>23:06:29.37 -05:02:29.0</jpos><jradeg>346.62236</jradeg><jdedeg>-5.04140</jdedeg>\
             <pm><pmRA>930.788</pmRA><pmDE>-479.038</pmDE></pm><plx><v>80.2123</v><e>0.0716</e></plx>\
             <Vel><v>-51.69</v><e>0.01</e></Vel><spType>M7.5e</spType><oname>TRAPPIST-1</oname>\
             <alias>2MASS J23062928-0502285</alias><alias>K2-112</alias><nrefs>1180</nrefs>",
        ),
        "m31" => simbad(
            "<otype>AGN</otype><jpos>00:42:44.33 +41:16:07.5</jpos><jradeg>10.684708</jradeg><jdedeg>41.26875</jdedeg>\
             <z><v>-0.001</v><e>0.000003</e></z><oname>M  31</oname><alias>NGC   224</alias>",
        ),
        "smon" => "<Resolver name=\"S=Simbad\"><INFO>Multiple objects</INFO><alias>V* S Mon</alias><alias>NAME S Mon \
                   Cluster</alias></Resolver>"
            .to_owned(),
        _ => nothing(),
    };
    target(name, &answer)
}

/// Sesame's answer to a name nobody knows.
pub fn sesame_nothing(name: &str) -> String {
    target(name, &nothing())
}

fn nothing() -> String {
    "<INFO>*** Nothing found ***</INFO>".to_owned()
}

fn target(name: &str, inner: &str) -> String {
    let name = name.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Sesame xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n\
         <Target option=\"SNV\">\n<name>{name}</name>\n<!-- Q1 #1 -->\n{inner}\n</Target>\n</Sesame>\n\
         <!-- ====Done (2026-Nov-30,21:35:26z)==== -->\n"
    )
}
