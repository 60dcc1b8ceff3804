/** What the list shows; it lives in the address, so that it can be kept and sent. */
export interface LibraryFilter {
  q?: string;
  tag?: string;
  year_from?: number;
  year_to?: number;
  state?: (typeof STATES)[number];
  has?: (typeof HOLDINGS)[number];
  sort?: (typeof ORDERS)[number];
}

export const STATES = ["ok", "corrected", "withdrawn", "retracted"] as const;
export const HOLDINGS = ["pdf", "text", "notes", "nothing"] as const;
export const ORDERS = ["added", "year", "title", "author", "citations"] as const;

/** The filter of an address; what makes no sense in it is left out. */
export function fromParams(params: URLSearchParams): LibraryFilter {
  const one = <T extends string>(name: string, all: readonly T[]) =>
    all.find((each) => each === params.get(name));
  const filter: LibraryFilter = {};
  const q = params.get("q")?.trim();
  const tag = params.get("tag");
  const state = one("state", STATES);
  const has = one("has", HOLDINGS);
  const sort = one("sort", ORDERS);
  const from = year(params.get("year_from"));
  const to = year(params.get("year_to"));
  if (q) filter.q = q;
  if (tag) filter.tag = tag;
  if (from) filter.year_from = from;
  if (to) filter.year_to = to;
  if (state) filter.state = state;
  if (has) filter.has = has;
  if (sort && sort !== "added") filter.sort = sort;
  return filter;
}

/** The address of a filter. */
export function toParams(filter: LibraryFilter): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  return params;
}

/** Whether it leaves papers out. */
export function narrows(filter: LibraryFilter): boolean {
  return Object.keys(filter).some((name) => name !== "sort");
}

/** A year as somebody types it; undefined until it is one. */
export function year(text: string | null): number | undefined {
  return text && /^\d{4}$/.test(text.trim()) ? Number(text) : undefined;
}

/** Identifiers as people paste them: one a line, or apart by blanks, commas and semicolons. Each once. */
export function splitIdentifiers(text: string): string[] {
  // `arXiv: 2303.14849` and `doi: 10.…` are one.
  const joined = text.replace(/\b(arxiv|doi|bibcode)\s*:\s+/gi, "$1:");
  const words = joined.split(/[\s,;]+/).map((word) => word.replace(/^["'<(]+|["'>)]+$/g, ""));
  return [...new Set(words.filter(Boolean))];
}

/** The tags of a comma-separated line, each once, in their order. */
export function splitTags(text: string): string[] {
  const tags = text.split(/[,，;；\n]/).map((tag) => tag.trim().replace(/\s+/g, " "));
  return [...new Set(tags.filter(Boolean))];
}
