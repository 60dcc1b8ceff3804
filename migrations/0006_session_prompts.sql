-- The part of the system prompt that is fixed when a session begins: what is known of skills and memories then. It stays
-- the same from turn to turn, so that the provider's prompt cache holds.
CREATE TABLE session_prompts (
    session_id TEXT PRIMARY KEY REFERENCES agent_sessions (id) ON DELETE CASCADE,
    text       TEXT NOT NULL,
    frozen_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
