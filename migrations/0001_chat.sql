-- People, their logins, conversations, runs, events and plans.
-- Ids are UUIDv7 text; times are milliseconds since the Unix epoch, UTC.

CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    username      TEXT NOT NULL UNIQUE COLLATE NOCASE,
    password_hash TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('admin', 'user')),
    created_at    INTEGER NOT NULL
) STRICT;

-- A stolen database must not open a session: only the SHA-256 of the cookie is stored.
CREATE TABLE auth_sessions (
    token_hash BLOB PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX auth_sessions_by_expiry ON auth_sessions (expires_at);
CREATE INDEX auth_sessions_by_user ON auth_sessions (user_id);

CREATE TABLE agent_sessions (
    rowid_alias     INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    user_id         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    title           TEXT NOT NULL,
    search_text     TEXT NOT NULL DEFAULT '',
    mode            TEXT NOT NULL CHECK (mode IN ('standard', 'coordinator')),
    permission_mode TEXT NOT NULL CHECK (permission_mode IN ('ask', 'auto', 'plan', 'full')),
    model           TEXT,
    pinned          INTEGER NOT NULL DEFAULT 0,
    last_message    TEXT NOT NULL DEFAULT '',
    input_tokens    INTEGER NOT NULL DEFAULT 0,
    output_tokens   INTEGER NOT NULL DEFAULT 0,
    cached_tokens   INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_sessions_by_user ON agent_sessions (user_id, pinned DESC, updated_at DESC, id DESC);

CREATE TABLE agent_runs (
    id             TEXT PRIMARY KEY,
    session_id     TEXT NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
    user_id        TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    status         TEXT NOT NULL CHECK (status IN ('queued', 'running', 'waiting', 'completed', 'stopped', 'failed', 'interrupted')),
    reason         TEXT,
    detail         TEXT,
    mode           TEXT NOT NULL,
    options        TEXT NOT NULL DEFAULT '{}',
    steps          INTEGER NOT NULL DEFAULT 0,
    input_tokens   INTEGER NOT NULL DEFAULT 0,
    output_tokens  INTEGER NOT NULL DEFAULT 0,
    cached_tokens  INTEGER NOT NULL DEFAULT 0,
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER
) STRICT;
CREATE INDEX agent_runs_by_session ON agent_runs (session_id, started_at);
-- One run at a time in a conversation: the rule is the database's, so that no race can break it.
CREATE UNIQUE INDEX agent_runs_one_active ON agent_runs (session_id) WHERE status IN ('queued', 'running', 'waiting');

CREATE TABLE agent_messages (
    seq                 INTEGER PRIMARY KEY,
    id                  TEXT NOT NULL UNIQUE,
    session_id          TEXT NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
    user_id             TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    run_id              TEXT REFERENCES agent_runs (id) ON DELETE CASCADE,
    role                TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'summary')),
    content             TEXT NOT NULL,
    search_text         TEXT NOT NULL DEFAULT '',
    thinking            TEXT,
    tool_calls          TEXT,
    tool_call_id        TEXT,
    is_error            INTEGER,
    metadata            TEXT,
    model               TEXT,
    parent_tool_call_id TEXT,
    client_message_id   TEXT,
    -- 1 while the message waits for the next model call of a run that is going.
    queued              INTEGER NOT NULL DEFAULT 0,
    created_at          INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_messages_by_session ON agent_messages (session_id, seq);
CREATE INDEX agent_messages_by_run ON agent_messages (run_id);
CREATE UNIQUE INDEX agent_messages_by_client_id ON agent_messages (session_id, client_message_id) WHERE client_message_id IS NOT NULL;
-- A call has one result, whatever happens.
CREATE UNIQUE INDEX agent_messages_one_result ON agent_messages (session_id, tool_call_id) WHERE role = 'tool';

-- What a run said. The id is the SSE id: global, growing, gaps allowed.
CREATE TABLE agent_events (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    session_id TEXT REFERENCES agent_sessions (id) ON DELETE CASCADE,
    run_id     TEXT REFERENCES agent_runs (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    data       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_events_by_user ON agent_events (user_id, id);
CREATE INDEX agent_events_by_session ON agent_events (session_id, id);
CREATE INDEX agent_events_by_run ON agent_events (run_id);

CREATE TABLE agent_tasks (
    session_id TEXT NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    position   INTEGER NOT NULL,
    content    TEXT NOT NULL,
    status     TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed')),
    blocked_by TEXT NOT NULL DEFAULT '[]',
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

-- Full text. `search_text` is the normalised text (see store/fts.rs); the words a person reads stay in the first column.
CREATE VIRTUAL TABLE agent_sessions_fts USING fts5 (
    search_text, content = 'agent_sessions', content_rowid = 'rowid_alias', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER agent_sessions_fts_insert AFTER INSERT ON agent_sessions BEGIN
    INSERT INTO agent_sessions_fts (rowid, search_text) VALUES (new.rowid_alias, new.search_text);
END;
CREATE TRIGGER agent_sessions_fts_delete AFTER DELETE ON agent_sessions BEGIN
    INSERT INTO agent_sessions_fts (agent_sessions_fts, rowid, search_text) VALUES ('delete', old.rowid_alias, old.search_text);
END;
CREATE TRIGGER agent_sessions_fts_update AFTER UPDATE OF search_text ON agent_sessions BEGIN
    INSERT INTO agent_sessions_fts (agent_sessions_fts, rowid, search_text) VALUES ('delete', old.rowid_alias, old.search_text);
    INSERT INTO agent_sessions_fts (rowid, search_text) VALUES (new.rowid_alias, new.search_text);
END;

CREATE VIRTUAL TABLE agent_messages_fts USING fts5 (
    search_text, content = 'agent_messages', content_rowid = 'seq', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER agent_messages_fts_insert AFTER INSERT ON agent_messages WHEN new.search_text <> '' BEGIN
    INSERT INTO agent_messages_fts (rowid, search_text) VALUES (new.seq, new.search_text);
END;
CREATE TRIGGER agent_messages_fts_delete AFTER DELETE ON agent_messages WHEN old.search_text <> '' BEGIN
    INSERT INTO agent_messages_fts (agent_messages_fts, rowid, search_text) VALUES ('delete', old.seq, old.search_text);
END;
-- Also when the row moves: a queued message gets a new place when it is taken.
CREATE TRIGGER agent_messages_fts_update AFTER UPDATE OF search_text, seq ON agent_messages BEGIN
    INSERT INTO agent_messages_fts (agent_messages_fts, rowid, search_text)
        SELECT 'delete', old.seq, old.search_text WHERE old.search_text <> '';
    INSERT INTO agent_messages_fts (rowid, search_text) SELECT new.seq, new.search_text WHERE new.search_text <> '';
END;
