import { describe, expect, it } from "vitest";
import { fromParams, narrows, splitIdentifiers, splitTags, toParams } from "./filter";

describe("the filter in the address", () => {
  it("comes back as it went", () => {
    const filter = {
      q: "hot jupiter",
      tag: "to read & cite",
      year_from: 1998,
      year_to: 2023,
      state: "retracted",
      has: "notes",
      sort: "title",
    } as const;
    expect(fromParams(new URLSearchParams(toParams(filter).toString()))).toEqual(filter);
  });

  it("leaves out what makes no sense", () => {
    const odd = new URLSearchParams(
      "q=%20&year_from=20&year_to=abc&state=gone&has=gold&sort=added",
    );
    expect(fromParams(odd)).toEqual({});
    expect(toParams({ q: "", tag: undefined as never }).toString()).toBe("");
  });

  it("tells an order from what narrows the list", () => {
    expect(narrows({ sort: "year" })).toBe(false);
    expect(narrows({ sort: "year", has: "pdf" })).toBe(true);
  });
});

describe("what people paste", () => {
  it("is one identifier for each line, blank, comma or semicolon", () => {
    const text =
      "2023Natur.618...39G, arXiv: 2303.14849;\n<https://doi.org/10.1038/s41586-023-05951-7>\n2303.14849 2303.14849";
    expect(splitIdentifiers(text)).toEqual([
      "2023Natur.618...39G",
      "arXiv:2303.14849",
      "https://doi.org/10.1038/s41586-023-05951-7",
      "2303.14849",
    ]);
    expect(splitIdentifiers(" \n,; ")).toEqual([]);
  });

  it("keeps the brackets inside a DOI", () => {
    expect(splitIdentifiers("10.1016/0019-1035(88)90075-5")).toEqual([
      "10.1016/0019-1035(88)90075-5",
    ]);
  });

  it("has tags between commas, Chinese ones as well", () => {
    expect(splitTags("to  read, JWST，系外行星, JWST,")).toEqual(["to read", "JWST", "系外行星"]);
  });
});
