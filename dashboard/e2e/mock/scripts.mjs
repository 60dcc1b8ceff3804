import { agentScript } from "./agent-scripts.mjs";

// What the scripted agent says and does. Papers and figures are real ones, shortened.
const papers = [
  {
    id: "p1",
    title: "Thermal emission from the Earth-sized exoplanet TRAPPIST-1 b using JWST",
    authors: ["Greene, T. P.", "Bell, T. J.", "Ducrot, E.", "Dyrek, A.", "Lagage, P.-O."].map(
      (name) => ({ name }),
    ),
    year: 2023,
    venue: "Nature",
    bibcode: "2023Natur.618...39G",
    doi: "10.1038/s41586-023-05951-7",
    arxiv_id: "2303.14849",
    abstract:
      "The TRAPPIST-1 system is remarkable for its seven planets that are similar in size, mass, density and stellar heating to the rocky planets Venus, Earth and Mars in the Solar System. Here we report the detection of thermal emission from TRAPPIST-1 b with five secondary-eclipse observations with the F1500W filter of MIRI. The eclipse depth corresponds to a dayside brightness temperature of 503 K, consistent with re-radiation of the incident flux from only the dayside hemisphere of the planet.",
    keywords: ["Exoplanets", "Planetary atmospheres"],
    citation_count: 241,
    in_library: true,
    has_pdf: true,
    state: "ok",
    source: ["ads", "arxiv"],
  },
  {
    id: "p2",
    title: "No thick carbon dioxide atmosphere on the rocky exoplanet TRAPPIST-1 c",
    authors: ["Zieba, S.", "Kreidberg, L.", "Ducrot, E.", "Gillon, M."].map((name) => ({ name })),
    year: 2023,
    venue: "Nature",
    bibcode: "2023Natur.620..746Z",
    arxiv_id: "2306.10150",
    citation_count: 198,
    in_library: false,
    state: "ok",
    source: ["ads", "arxiv"],
  },
  {
    id: "p3",
    title: "Combined analysis of the 12.8 and 15 μm JWST/MIRI eclipse observations of TRAPPIST-1 b",
    authors: ["Ducrot, E.", "Lagage, P.-O.", "Min, M."].map((name) => ({ name })),
    year: 2025,
    venue: "Nature Astronomy",
    bibcode: "2025NatAs...9..358D",
    arxiv_id: "2412.11627",
    citation_count: 64,
    in_library: false,
    state: "ok",
    source: ["ads", "arxiv"],
  },
  {
    id: "p4",
    title:
      "Atmospheric Reconnaissance of TRAPPIST-1 b with JWST/NIRISS: Evidence for Strong Stellar Contamination in the Transmission Spectra",
    authors: ["Lim, O.", "Benneke, B.", "Doyon, R.", "MacDonald, R. J."].map((name) => ({ name })),
    year: 2023,
    venue: "The Astrophysical Journal Letters",
    bibcode: "2023ApJ...955L..22L",
    arxiv_id: "2309.07047",
    citation_count: 153,
    in_library: false,
    state: "ok",
    source: ["ads", "arxiv"],
  },
  {
    id: "p5",
    title:
      "Potential Atmospheric Compositions of TRAPPIST-1 c Constrained by JWST/MIRI Observations at 15 μm",
    authors: ["Lincowski, A. P.", "Meadows, V. S."].map((name) => ({ name })),
    year: 2023,
    venue: "The Astrophysical Journal Letters",
    bibcode: "2023ApJ...955L...7L",
    arxiv_id: "2308.05899",
    citation_count: 51,
    state: "ok",
    source: ["ads"],
  },
];

const link = (p) => `https://ui.adsabs.harvard.edu/abs/${p.bibcode}`;

const ANSWER = `**A thick atmosphere on TRAPPIST-1 b is ruled out by its thermal emission**, while a very thin or an unusual one is not.

The dayside is nearly as hot as a bare, dark rock would be. With zero albedo and no transport of heat to the night side the expected brightness temperature is

$$
T_{\\mathrm{day}} = T_\\star \\sqrt{\\frac{R_\\star}{a}} \\left[ f\\,(1 - A_B) \\right]^{1/4}, \\qquad f = \\tfrac{2}{3},
$$

which gives $T_{\\mathrm{day}} \\approx 508\\ \\mathrm{K}$, against the measured $503^{+26}_{-27}\\ \\mathrm{K}$ at 15 μm.

| Paper | Instrument | Result |
|---|---|---|
| [Greene et al. 2023](${link(papers[0])}) | MIRI F1500W, 5 eclipses | depth $861 \\pm 99$ ppm; no thick CO₂ atmosphere |
| [Lim et al. 2023](${link(papers[3])}) | NIRISS/SOSS, 2 transits | cloud-free H₂ excluded; stellar contamination dominates |
| [Ducrot et al. 2025](${link(papers[2])}) | MIRI F1280W and F1500W | bare ultramafic rock, or a hazy CO₂ atmosphere with thermal inversion |

What this means for the surface pressure:

1. Atmospheres with at least 100 ppm of CO₂ are excluded at $3\\sigma$ for \\(p \\ge 0.3\\) bar.
2. Transmission alone cannot settle it, since spots and faculae imprint up to several hundred ppm.
3. A thermal inversion from photochemical haze would fit both MIRI bands; it is *allowed*, not *detected*.

I wrote the reading notes to \`notes/trappist-1b.md\`.
`;

const demo = [
  [
    {
      think:
        "The question has two parts: limits on the atmosphere, and who reports them. First I resolve the planet, then search ADS and arXiv for JWST eclipse and transit work.\n\nI should separate emission (MIRI) from transmission (NIRISS) constraints.",
    },
    {
      calls: [
        {
          name: "todo_write",
          ms: 40,
          output: "Plan stored.",
          arguments: {
            todos: [
              { id: "1", content: "Resolve TRAPPIST-1 b", status: "in_progress" },
              {
                id: "2",
                content: "Search ADS and arXiv for atmospheric limits",
                status: "pending",
              },
              { id: "3", content: "Read the key papers and note the numbers", status: "pending" },
            ],
          },
        },
        {
          name: "query_target",
          ms: 700,
          arguments: { name: "TRAPPIST-1 b" },
          output: "TRAPPIST-1 b: RA 346.62650 Dec -5.04346 (ICRS), planet, host M8V",
          metadata: {
            status: "found",
            name: "TRAPPIST-1 b",
            canonical: "TRAPPIST-1 b",
            ra_deg: 346.6265,
            dec_deg: -5.04346,
            galactic: { l_deg: 69.7137, b_deg: -56.6408 },
            type: "Planet (Pl)",
            velocity_kms: -52.8,
            parallax_mas: 80.2123,
            pm_mas_yr: [930.788, -479.038],
            spectral_type: "M8V (host)",
            aliases: ["2MASS J23062928-0502285 b", "K2-112 b", "TIC 278892590 b"],
            resolver: "Sesame (Simbad)",
          },
        },
        {
          name: "search_papers",
          ms: 1600,
          arguments: {
            query: "TRAPPIST-1 b atmosphere JWST emission transmission",
            sources: ["ads", "arxiv"],
            year_from: 2022,
          },
          progress: { done: 1, total: 2, unit: "sources", message: "ADS answered" },
          output: papers.map((p, i) => `${i + 1}. ${p.title} (${p.year})`).join("\n"),
          metadata: {
            items: papers,
            query_sent: {
              ads: 'abs:"TRAPPIST-1 b" abs:(atmosphere) year:2022-',
              arxiv: 'all:"TRAPPIST-1 b" AND all:atmosphere',
            },
            sources: [
              {
                name: "ads",
                status: "ok",
                total: 187,
                quota: { limit: 5000, remaining: 4871, resets_at: "2026-12-02T00:00:00Z" },
              },
              { name: "arxiv", status: "ok", total: 94 },
            ],
          },
        },
      ],
    },
  ],
  [
    {
      think:
        "Greene et al. and Ducrot et al. carry the emission limits. I take their metadata to be sure of the numbers.",
    },
    {
      calls: [
        {
          name: "get_paper_metadata",
          ms: 420,
          arguments: { paper: "2023Natur.618...39G" },
          output: papers[0].title,
          metadata: papers[0],
        },
        {
          name: "get_paper_metadata",
          ms: 520,
          arguments: { paper: "2025NatAs...9..358D" },
          output: papers[2].title,
          metadata: papers[2],
        },
        {
          name: "read_file",
          ms: 60,
          arguments: { path: "notes/trappist-1b.md" },
          is_error: true,
          output: "notes/trappist-1b.md: no such file in the workspace",
        },
      ],
    },
  ],
  [
    {
      calls: [
        {
          name: "file_write",
          ms: 180,
          output: "Wrote notes/trappist-1b.md (412 bytes), commit 3f2a9c1.",
          arguments: {
            path: "notes/trappist-1b.md",
            content:
              "# TRAPPIST-1 b: limits on the atmosphere\n\n- Greene et al. 2023: $T_b = 503^{+26}_{-27}$ K at 15 μm, bare rock fits\n- Ducrot et al. 2025: 12.8 and 15 μm together; haze with inversion allowed\n- Lim et al. 2023: NIRISS, stellar contamination\n",
          },
        },
        {
          name: "todo_write",
          ms: 30,
          output: "Plan stored.",
          arguments: {
            todos: [
              { id: "1", content: "Resolve TRAPPIST-1 b", status: "completed" },
              {
                id: "2",
                content: "Search ADS and arXiv for atmospheric limits",
                status: "completed",
              },
              { id: "3", content: "Read the key papers and note the numbers", status: "completed" },
            ],
          },
        },
      ],
    },
  ],
  [{ say: ANSWER }],
];

const SLOW =
  "The light curve was folded, and folded again, and with each turn the transit grew a little clearer. ".repeat(
    12,
  );

/** The steps of a run, by what the question says. Each step is one call of the model. */
export function scriptFor(question) {
  const repeat = /^Repeat exactly:\s*([\s\S]*)$/.exec(question);
  if (repeat) return [[{ say: repeat[1] }]];
  if (/slowly/i.test(question)) {
    return [[{ say: SLOW, slow: true }], [{ say: "That was the slow answer." }]];
  }
  if (/silent/i.test(question)) return [[{ say: "Working in silence.", after: 3000 }]];
  if (/TRAPPIST/i.test(question)) return demo;
  if (/retry/i.test(question))
    return [
      [
        { retry: "the model is overloaded (503)", wait: 4000 },
        { say: "It worked on the second attempt." },
      ],
    ];
  if (/fail/i.test(question))
    return [
      [
        { say: "I begin, " },
        {
          end: "failed",
          extra: {
            reason: "fallback_exhausted",
            detail: "demo-model: 503 Service Unavailable, three times",
          },
        },
      ],
    ];
  if (/interrupt/i.test(question)) return [[{ say: "Half of an answer" }, { end: "interrupted" }]];
  const agent = agentScript(question);
  if (agent) return agent;
  return [
    [{ think: "A short question." }, { say: `You asked: ${question}\n\nThe answer is $x = 42$.` }],
  ];
}

/** Sessions of the past, so that the list has something in it. */
export function seed(mock) {
  const day = 86_400_000;
  const past = [
    ["Distance ladder: Cepheids against TRGB", 0.02, true],
    ["Lithium problem, observations since 2020", 0.1, false],
    ["Spin of GRS 1915+105", 1.1, false],
    ["Photometric redshifts for the southern fields", 1.3, false],
    ["Radio halo statistics of merging clusters", 4, false],
    ["FRB 20180916B: periodicity", 5, false],
    ["White dwarf cooling ages in open clusters", 19, false],
    ["ZTF classification pipeline papers", 33, false],
  ];
  for (const [title, ago, pinned] of past) {
    const session = mock.createSession({ title });
    const time = new Date(Date.now() - ago * day).toISOString();
    Object.assign(session, { created_at: time, updated_at: time, pinned });
    const add = (role, content) =>
      mock.messages.get(session.id).push({
        id: `${session.id}-${role}`,
        session_id: session.id,
        run_id: null,
        role,
        content,
        created_at: time,
        model: "demo-model",
      });
    add("user", `What is known about this: ${title}?`);
    add("assistant", `A stored answer about **${title}** with $\\chi^2_\\nu = 1.04$.`);
  }
}
