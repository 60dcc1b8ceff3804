-- What the agent did and what was decided about it. Only ever appended to.

-- Sessions and runs are named without a foreign key: the log outlives them. An account that is erased takes its rows along.
CREATE TABLE agent_audit_log (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    session_id   TEXT,
    run_id       TEXT,
    tool_call_id TEXT,
    -- One of the 13 hook events, or what people do: PermissionAnswer, HooksChanged.
    event        TEXT NOT NULL,
    tool         TEXT,
    decision     TEXT NOT NULL,
    -- Sizes and digests, never the text of a prompt or the value of an argument.
    summary      TEXT NOT NULL,
    ms           INTEGER,
    created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_audit_log_by_user ON agent_audit_log (user_id, id);
CREATE INDEX agent_audit_log_by_session ON agent_audit_log (session_id, id);
