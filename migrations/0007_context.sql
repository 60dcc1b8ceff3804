-- What was done to make contexts smaller, and what is remembered beyond a conversation.

-- Originals stay in agent_messages; these rows say what of them a model no longer sees. None is ever deleted: undoing one
-- marks it.
CREATE TABLE compactions (
    id                 INTEGER PRIMARY KEY,
    session_id         TEXT NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
    run_id             TEXT REFERENCES agent_runs (id) ON DELETE SET NULL,
    layer              TEXT NOT NULL CHECK (layer IN ('micro', 'auto', 'manual')),
    -- For a summary: the last message that it stands for, and the message that it is.
    through_message_id TEXT,
    summary_message_id TEXT,
    -- For the micro layer: the calls whose outputs became placeholders, a JSON list.
    cleared            TEXT NOT NULL DEFAULT '[]',
    before_tokens      INTEGER NOT NULL,
    after_tokens       INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    undone_at          INTEGER,
    CHECK ((through_message_id IS NULL) = (layer = 'micro')),
    CHECK ((summary_message_id IS NULL) = (layer = 'micro'))
) STRICT;
CREATE INDEX compactions_by_session ON compactions (session_id, id);

CREATE TABLE memories (
    rowid_alias  INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    content      TEXT NOT NULL,
    search_text  TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('preference', 'fact', 'decision', 'reference')),
    -- Where it comes from. Kept as they are when the session goes: a memory outlives its source.
    session_id   TEXT,
    message_id   TEXT,
    paper_id     TEXT,
    confidence   REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    pinned       INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER
) STRICT;
CREATE INDEX memories_by_user ON memories (user_id, pinned DESC, created_at DESC, id DESC);

CREATE VIRTUAL TABLE memories_fts USING fts5 (
    search_text, content = 'memories', content_rowid = 'rowid_alias', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
    INSERT INTO memories_fts (rowid, search_text) VALUES (new.rowid_alias, new.search_text);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, search_text) VALUES ('delete', old.rowid_alias, old.search_text);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF search_text ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, search_text) VALUES ('delete', old.rowid_alias, old.search_text);
    INSERT INTO memories_fts (rowid, search_text) VALUES (new.rowid_alias, new.search_text);
END;
