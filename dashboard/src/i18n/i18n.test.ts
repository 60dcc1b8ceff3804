import { describe, expect, it } from "vitest";
import { en } from "./en";
import { zh } from "./zh";

function flatten(value: object, path = ""): Map<string, string> {
  const out = new Map<string, string>();
  for (const [key, child] of Object.entries(value)) {
    const name = path ? `${path}.${key}` : key;
    if (typeof child === "string") out.set(name, child);
    else for (const [k, v] of flatten(child as object, name)) out.set(k, v);
  }
  return out;
}

const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((m) => m[1]).sort();

describe("translations", () => {
  const english = flatten(en);
  const chinese = flatten(zh);

  it("have the same keys", () => {
    expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it("name the same values, and leave nothing empty", () => {
    for (const [key, text] of english) {
      expect(placeholders(chinese.get(key) ?? ""), key).toEqual(placeholders(text));
      expect(chinese.get(key)?.trim(), key).not.toBe("");
    }
  });
});
