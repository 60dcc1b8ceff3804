-- Papers that MinerU reads. A server keeps its tasks for a day at most and says nothing when they are gone, so what was
-- sent, under which ids, and until when it is waited for stands here.
CREATE TABLE mineru_jobs (
    id         TEXT PRIMARY KEY,
    -- The paper, when the file belongs to one.
    paper_id   TEXT REFERENCES papers (id) ON DELETE CASCADE,
    service    TEXT NOT NULL CHECK (service IN ('cloud', 'hosted')),
    -- What the file is called where files are kept: it is read again when it has to be sent again.
    file       TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    pages      INTEGER,
    state      TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'cancelled')),
    -- After this moment nobody waits any more.
    deadline   INTEGER NOT NULL,
    -- Why it failed, in a sentence.
    error      TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
-- One file is not paid for twice at the same time.
CREATE UNIQUE INDEX mineru_jobs_running ON mineru_jobs (service, sha256) WHERE state = 'running';
CREATE INDEX mineru_jobs_by_paper ON mineru_jobs (paper_id, created_at) WHERE paper_id IS NOT NULL;

-- A long paper is sent in parts, each a task of its own.
CREATE TABLE mineru_parts (
    job_id       TEXT NOT NULL REFERENCES mineru_jobs (id) ON DELETE CASCADE,
    part         INTEGER NOT NULL,
    first_page   INTEGER NOT NULL,
    -- To the end of the file when empty.
    last_page    INTEGER,
    -- The id of the task at the service, once it is sent.
    remote_id    TEXT,
    -- How often it was sent.
    attempt      INTEGER NOT NULL DEFAULT 0,
    pages_done   INTEGER,
    pages_total  INTEGER,
    -- The result: the content list, and the sizes of the pages as JSON.
    content_list TEXT,
    sizes        TEXT,
    PRIMARY KEY (job_id, part)
) STRICT;
