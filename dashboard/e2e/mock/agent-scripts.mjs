// Runs that need the user, another model, a hook or a shorter context.

const fit = {
  name: "run_bash",
  arguments: {
    command: "cd data/niriss && python fit.py --steps 5000 --out ../../fits/b.json",
    timeout_secs: 120,
  },
  output: "chi2 = 1.04 after 5000 steps",
  ask: {
    kind: "permission",
    message: "The agent wants to run a command in the workspace.",
    suggestion: "run_bash(python fit.py:*)",
  },
};

const edit = {
  name: "file_edit",
  arguments: {
    path: "notes/trappist-1b.md",
    old_string: "# TRAPPIST-1 b\n\n- Greene et al. 2023: bare rock\n- to be read: Lim et al.",
    new_string:
      "# TRAPPIST-1 b\n\n- Greene et al. 2023: $T_b = 503$ K, bare rock fits\n- Lim et al. 2023: stellar contamination",
  },
  output: "Changed notes/trappist-1b.md.",
  ask: { kind: "permission", message: "The agent wants to change a file." },
};

const askUser = {
  name: "ask_user",
  arguments: { question: "Which band do you mean?" },
  output: "",
  ask: {
    kind: "ask_user",
    message:
      "Which band do you mean? Both were observed, and the limits differ by a factor of two.",
    options: ["F1280W (12.8 μm)", "F1500W (15 μm)", "Both, side by side"],
    tool: null,
    arguments: null,
  },
};

/** The script of a question about the agent itself; null when it is about something else. */
export function agentScript(question) {
  if (/two permissions/i.test(question)) {
    return [[{ say: "I fit the curve and note it." }, { calls: [fit, edit] }], [{ say: "Done." }]];
  }
  if (/quick permission/i.test(question)) {
    const expires_at = new Date(Date.now() + 3000).toISOString();
    return [
      [{ calls: [{ ...fit, ask: { ...fit.ask, expires_at } }] }],
      [{ say: "Then I go on without it." }],
    ];
  }
  if (/permission/i.test(question)) {
    return [
      [
        { think: "The fit must be run again with more steps." },
        { say: "I run the fit again " },
        { calls: [{ ...fit, meanwhile: "with five thousand steps." }] },
      ],
      [{ say: "Thank you, that is settled." }],
    ];
  }
  if (/ask me/i.test(question)) {
    return [[{ say: "One thing first." }, { calls: [askUser] }], [{ say: "Noted." }]];
  }
  if (/switch/i.test(question)) {
    return [
      [
        {
          event: [
            "model_switched",
            {
              from: "demo-model",
              to: "glm-astro",
              reason: "three overloads in a row (503)",
            },
          ],
        },
        { say: "The second model answers." },
      ],
    ];
  }
  if (/hooks/i.test(question)) {
    const quick = { event: "UserPromptSubmit", name: "bin/greet", decision: "continue", ms: 4 };
    const hooks = [
      { event: "PreToolUse", name: "bin/no-network", decision: "continue", ms: 12 },
      {
        event: "PreToolUse",
        name: "bin/units",
        decision: "changed",
        ms: 41,
        detail: "parsec became Mpc",
      },
    ];
    const blocked = {
      event: "PreToolUse",
      name: "bin/no-network",
      decision: "block",
      ms: 18,
      detail: "curl is not allowed here",
    };
    return [
      [
        { event: ["hook", quick] },
        { event: ["hook", { ...quick, event: "SessionStart", name: "bin/start" }] },
        {
          calls: [
            {
              name: "search_papers",
              arguments: { query: "distance to M 33" },
              output: "1. A distance",
              hooks,
            },
            {
              name: "run_bash",
              arguments: { command: "curl https://example.org" },
              output: "Blocked by bin/no-network: curl is not allowed here",
              is_error: true,
              hooks: [blocked],
            },
          ],
        },
      ],
      [
        { say: "The distance is 0.84 Mpc." },
        {
          event: [
            "hook",
            {
              event: "Stop",
              name: "bin/before-stop",
              decision: "block",
              ms: 2310,
              detail: "The answer names no source.",
            },
          ],
        },
      ],
      [{ say: "The distance is 0.84 Mpc (Bonanos et al. 2006)." }],
    ];
  }
  if (/compact/i.test(question)) {
    return [
      [
        {
          event: ["compaction", { layer: "micro", before_tokens: 98_000, after_tokens: 74_200 }],
        },
        { compact: "auto" },
        { say: "I go on from the summary." },
      ],
      [
        {
          event: [
            "compaction",
            {
              layer: "auto",
              before_tokens: 104_000,
              after_tokens: 104_000,
              skipped_reason: "three attempts in a row failed; only old tool outputs are set aside",
            },
          ],
        },
        { say: "That is all." },
      ],
    ];
  }
  return null;
}
