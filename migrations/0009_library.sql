-- The library's list.

-- When a paper was added to the library.
ALTER TABLE papers ADD COLUMN added_at INTEGER;
UPDATE papers SET added_at = created_at WHERE in_library = 1;
CREATE INDEX papers_by_added ON papers (added_at DESC, id DESC) WHERE in_library = 1 AND merged_into IS NULL;
