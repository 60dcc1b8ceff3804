-- What may run without asking, what asks and what never runs.
CREATE TABLE permission_rules (
    id         TEXT PRIMARY KEY,
    -- Whose rule it is; everyone's when empty.
    user_id    TEXT REFERENCES users (id) ON DELETE CASCADE,
    -- Where it holds; everywhere when empty.
    session_id TEXT REFERENCES agent_sessions (id) ON DELETE CASCADE,
    effect     TEXT NOT NULL CHECK (effect IN ('allow', 'ask', 'deny')),
    rule       TEXT NOT NULL,
    -- 'written' by an administrator, or the 'answer' that a user gave to a question.
    source     TEXT NOT NULL CHECK (source IN ('written', 'answer')),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX permission_rules_by_session ON permission_rules (session_id) WHERE session_id IS NOT NULL;
