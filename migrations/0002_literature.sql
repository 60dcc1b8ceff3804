-- Papers with their many identifiers, and resolved targets.

-- One row is one paper, whatever it is called. Lists are JSON. `fetched_at` says when a source last described it.
CREATE TABLE papers (
    id             TEXT PRIMARY KEY,
    title          TEXT NOT NULL,
    authors        TEXT NOT NULL DEFAULT '[]',
    year           INTEGER,
    -- YYYY-MM-DD, with 00 for an unknown month or day, as ADS writes it.
    pubdate        TEXT,
    venue          TEXT,
    abstract       TEXT NOT NULL DEFAULT '',
    keywords       TEXT NOT NULL DEFAULT '[]',
    doctype        TEXT,
    -- The identifiers to show; all of them are in paper_identifiers.
    bibcode        TEXT,
    doi            TEXT,
    arxiv_id       TEXT,
    citation_count INTEGER,
    state          TEXT NOT NULL DEFAULT 'ok' CHECK (state IN ('ok', 'withdrawn', 'retracted', 'corrected')),
    versions       TEXT NOT NULL DEFAULT '[]',
    published_as   TEXT,
    tags           TEXT NOT NULL DEFAULT '[]',
    in_library     INTEGER NOT NULL DEFAULT 0,
    has_pdf        INTEGER NOT NULL DEFAULT 0,
    has_text       INTEGER NOT NULL DEFAULT 0,
    notes_count    INTEGER NOT NULL DEFAULT 0,
    -- 1 once a source with full metadata (ADS) has described it; arXiv alone does not know where a paper was published.
    complete       INTEGER NOT NULL DEFAULT 0,
    fetched_at     INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    -- The paper this one turned out to be. The row stays, so that its id still leads somewhere and a merge can be undone.
    merged_into    TEXT REFERENCES papers (id)
) STRICT;
CREATE INDEX papers_by_merge ON papers (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX papers_in_library ON papers (in_library, id) WHERE in_library = 1;

CREATE TABLE paper_identifiers (
    scheme    TEXT NOT NULL CHECK (scheme IN ('bibcode', 'arxiv', 'arxiv_version', 'doi', 'hash')),
    value     TEXT NOT NULL,
    paper_id  TEXT NOT NULL REFERENCES papers (id) ON DELETE CASCADE,
    -- The paper it belonged to before any merge: undoing one gives it back.
    origin_id TEXT NOT NULL REFERENCES papers (id) ON DELETE CASCADE,
    -- Who said so: ads, arxiv, user.
    source    TEXT NOT NULL,
    added_at  INTEGER NOT NULL,
    UNIQUE (scheme, value)
) STRICT;
CREATE INDEX paper_identifiers_by_paper ON paper_identifiers (paper_id);
CREATE INDEX paper_identifiers_by_origin ON paper_identifiers (origin_id);

-- Answers of the name resolvers. The key is case-sensitive: HD 209458 B is a star, HD 209458 b its planet.
CREATE TABLE targets (
    name       TEXT PRIMARY KEY,
    answer     TEXT NOT NULL,
    fetched_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX targets_by_expiry ON targets (expires_at);
