import { describe, expect, it } from "vitest";
import { formatDec, formatRa, hammer, toGalactic } from "./coordinates";
import { paperUrl, toPaper, toSearch, toTarget, toTodos } from "./shapes";

describe("coordinates", () => {
  it("writes positions as astronomers do", () => {
    expect(formatRa(10.684708)).toBe("00ʰ 42ᵐ 44.33ˢ");
    expect(formatDec(41.26875)).toBe("+41° 16′ 07.5″");
    expect(formatDec(-5.0434618)).toBe("−05° 02′ 36.5″");
    expect(formatDec(-0.5)).toBe("−00° 30′ 00.0″");
    expect(formatRa(359.99999999)).toBe("00ʰ 00ᵐ 00.00ˢ");
    expect(formatDec(89.99999999)).toBe("+90° 00′ 00.0″");
  });

  // Positions from SIMBAD, ICRS J2000 and Galactic.
  it.each([
    ["Sgr A*", 266.41681663, -29.00782497, 359.94422947, -0.04615714],
    ["M 31", 10.684708, 41.26875, 121.174329, -21.573309],
    ["north Galactic pole", 192.85948, 27.12825, null, 90],
  ])("turns %s into Galactic coordinates", (_name, ra, dec, l, b) => {
    const galactic = toGalactic(ra, dec);
    if (l !== null) expect(galactic.l).toBeCloseTo(l, 3);
    expect(galactic.b).toBeCloseTo(b, 3);
  });

  it("projects the centre, the edges and the poles", () => {
    expect(hammer(0, 0).x).toBeCloseTo(0);
    expect(hammer(180, 0).x).toBeCloseTo(-1);
    expect(hammer(-180, 0).x).toBeCloseTo(1);
    expect(hammer(0, 90).y).toBeCloseTo(0.5);
    expect(hammer(0, -90).y).toBeCloseTo(-0.5);
    expect(hammer(350, 0).x).toBeGreaterThan(0);
  });
});

describe("shapes", () => {
  it("reads what is there and survives what is not", () => {
    for (const junk of [null, undefined, 7, "x", [], {}, { title: 5 }, { items: "no" }]) {
      expect(() => [toPaper(junk), toSearch(junk), toTarget(junk), toTodos(junk)]).not.toThrow();
    }
    expect(toPaper({ authors: [] })).toBeNull();
    expect(
      toSearch({ items: [{ title: "A" }, null], sources: [{ name: "ads", status: "failed" }] }),
    ).toMatchObject({ papers: [{ title: "A" }], sources: [{ name: "ads", status: "failed" }] });
    expect(toTarget({ target: { status: "not_found", name: "x" } })?.status).toBe("not_found");
  });

  it("links a paper by the best name it has", () => {
    const paper = (change: object) => toPaper({ title: "T", ...change });
    const url = (change: object) => {
      const p = paper(change);
      return p && paperUrl(p);
    };
    expect(url({ bibcode: "2011A&A...536A..16P" })).toBe(
      "https://ui.adsabs.harvard.edu/abs/2011A%26A...536A..16P",
    );
    expect(url({ arxiv_id: "arXiv:astro-ph/9805201" })).toBe(
      "https://arxiv.org/abs/astro-ph/9805201",
    );
    expect(url({ doi: "10.1038/s41586" })).toBe("https://doi.org/10.1038/s41586");
    expect(url({})).toBeNull();
  });
});
