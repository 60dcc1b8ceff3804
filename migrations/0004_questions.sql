-- Questions to the user: may this call run, and what `ask_user` asks. A row, so that it survives a reload and a restart.
CREATE TABLE agent_questions (
    id           TEXT PRIMARY KEY,
    session_id   TEXT NOT NULL REFERENCES agent_sessions (id) ON DELETE CASCADE,
    run_id       TEXT NOT NULL REFERENCES agent_runs (id) ON DELETE CASCADE,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind         TEXT NOT NULL CHECK (kind IN ('permission', 'ask_user')),
    -- A call has at most one question: a run that goes on after a restart finds the one it waited for.
    tool_call_id TEXT NOT NULL UNIQUE,
    tool         TEXT,
    arguments    TEXT,
    message      TEXT NOT NULL,
    options      TEXT,
    suggestion   TEXT,
    expires_at   INTEGER NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('open', 'answered', 'expired')),
    answer       TEXT,
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_questions_open ON agent_questions (user_id, created_at) WHERE status = 'open';
CREATE INDEX agent_questions_by_run ON agent_questions (run_id);
