import { isRecord } from "@/api/events";

/** What tools put into `metadata`, read with care: a field that is not there is just not shown. */
export interface PaperView {
  id: string | null;
  title: string;
  authors: string[];
  year: string | null;
  venue: string | null;
  abstract: string | null;
  keywords: string[];
  bibcode: string | null;
  doi: string | null;
  arxivId: string | null;
  citations: number | null;
  inLibrary: boolean;
  state: string | null;
  sources: string[];
}

function text(value: unknown): string | null {
  if (typeof value === "string") return value.trim() || null;
  return typeof value === "number" ? String(value) : null;
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function strings(value: unknown): string[] {
  return list(value).flatMap((each) => text(each) ?? []);
}

export function toPaper(value: unknown): PaperView | null {
  if (!isRecord(value)) return null;
  const title = text(value["title"]);
  if (!title) return null;
  return {
    id: text(value["id"]),
    title,
    authors: list(value["authors"]).flatMap(
      (author) => text(isRecord(author) ? author["name"] : author) ?? [],
    ),
    year: text(value["year"]),
    venue: text(value["venue"]),
    abstract: text(value["abstract"]),
    keywords: strings(value["keywords"]),
    bibcode: text(value["bibcode"]),
    doi: text(value["doi"]),
    arxivId: text(value["arxiv_id"])?.replace(/^arxiv:/i, "") ?? null,
    citations: number(value["citation_count"]),
    inLibrary: value["in_library"] === true,
    state: text(value["state"]),
    sources: strings(value["source"]),
  };
}

/** Where a paper can be read about: ADS first, since it knows the most. */
export function paperUrl(paper: PaperView): string | null {
  if (paper.bibcode) {
    return `https://ui.adsabs.harvard.edu/abs/${encodeURIComponent(paper.bibcode)}`;
  }
  if (paper.arxivId) return `https://arxiv.org/abs/${encodeURI(paper.arxivId)}`;
  return paper.doi ? `https://doi.org/${encodeURI(paper.doi)}` : null;
}

export interface SearchView {
  papers: PaperView[];
  sources: {
    name: string;
    status: string;
    detail: string | null;
    total: number | null;
  }[];
  sent: [string, string][];
}

export function toSearch(metadata: unknown): SearchView | null {
  if (!isRecord(metadata)) return null;
  const items = metadata["items"] ?? metadata["papers"];
  const sources = list(metadata["sources"]).flatMap((each) => {
    const name = isRecord(each) ? text(each["name"]) : null;
    if (!isRecord(each) || !name) return [];
    return [
      {
        name,
        status: text(each["status"]) ?? "ok",
        detail: text(each["detail"]),
        total: number(each["total"]),
      },
    ];
  });
  if (!Array.isArray(items) && sources.length === 0) return null;
  const sent = isRecord(metadata["query_sent"]) ? Object.entries(metadata["query_sent"]) : [];
  return {
    papers: list(items).flatMap((each) => toPaper(each) ?? []),
    sources,
    sent: sent.flatMap(([name, query]) => {
      const words = text(query);
      return words ? [[name, words] as [string, string]] : [];
    }),
  };
}

export interface TargetView {
  status: string;
  name: string;
  canonical: string | null;
  ra: number | null;
  dec: number | null;
  l: number | null;
  b: number | null;
  type: string | null;
  z: number | null;
  velocity: number | null;
  parallax: number | null;
  properMotion: string | null;
  spectralType: string | null;
  aliases: string[];
  candidates: string[];
  resolver: string | null;
  detail: string | null;
}

export function toTarget(metadata: unknown): TargetView | null {
  const value = isRecord(metadata) && isRecord(metadata["target"]) ? metadata["target"] : metadata;
  if (!isRecord(value)) return null;
  const status = text(value["status"]);
  if (!status) return null;
  const galactic = isRecord(value["galactic"]) ? value["galactic"] : {};
  return {
    status,
    name: text(value["name"]) ?? "",
    canonical: text(value["canonical"]),
    ra: number(value["ra_deg"]),
    dec: number(value["dec_deg"]),
    l: number(galactic["l_deg"]),
    b: number(galactic["b_deg"]),
    type: text(value["type"]),
    z: number(value["z"]),
    velocity: number(value["velocity_kms"]),
    parallax: number(value["parallax_mas"]),
    properMotion: properMotion(value["pm_mas_yr"]),
    spectralType: text(value["spectral_type"]),
    aliases: strings(value["aliases"]),
    candidates: list(value["candidates"]).flatMap(
      (each) => text(isRecord(each) ? (each["name"] ?? each["canonical"]) : each) ?? [],
    ),
    resolver: text(value["resolver"]),
    detail: text(value["detail"]),
  };
}

/** Components in right ascension and declination, as an object or a pair, or one total. */
function properMotion(value: unknown): string | null {
  if (Array.isArray(value)) return value.map((v) => text(v) ?? "?").join(", ");
  if (isRecord(value)) {
    const [ra, dec] = [number(value["ra"]), number(value["dec"])];
    return ra === null || dec === null ? null : `${ra}, ${dec}`;
  }
  return text(value);
}

export interface TodoView {
  id: string;
  content: string;
  status: "pending" | "in_progress" | "completed";
}

export function toTodos(value: unknown): TodoView[] {
  const todos = isRecord(value) ? value["todos"] : value;
  return list(todos).flatMap((each, index) => {
    const content = isRecord(each) ? text(each["content"]) : null;
    if (!isRecord(each) || !content) return [];
    const status = each["status"];
    return [
      {
        id: text(each["id"]) ?? String(index),
        content,
        status: status === "completed" || status === "in_progress" ? status : "pending",
      },
    ];
  });
}
