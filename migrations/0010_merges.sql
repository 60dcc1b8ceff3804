-- Merges of papers that can be undone.

-- What the paper that stayed was before another became a part of it.
CREATE TABLE paper_merges (
    gone      TEXT PRIMARY KEY REFERENCES papers (id) ON DELETE CASCADE,
    kept      TEXT NOT NULL REFERENCES papers (id) ON DELETE CASCADE,
    -- The kept paper's metadata as JSON.
    before    TEXT NOT NULL,
    merged_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX paper_merges_by_kept ON paper_merges (kept);

-- Pairs of papers that somebody said are two, whatever a source says; each pair stands once.
CREATE TABLE papers_apart (
    first    TEXT NOT NULL REFERENCES papers (id) ON DELETE CASCADE,
    second   TEXT NOT NULL REFERENCES papers (id) ON DELETE CASCADE,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (first, second),
    CHECK (first < second)
) STRICT, WITHOUT ROWID;
CREATE INDEX papers_apart_by_second ON papers_apart (second);
