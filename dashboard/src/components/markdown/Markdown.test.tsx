import { render, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import "@/i18n";
import { Markdown } from "./Markdown";
import { safeUrl } from "./Piece";

async function draw(text: string): Promise<HTMLElement> {
  const { container } = render(<Markdown text={text} />);
  await waitFor(() => expect(container.querySelector(".prose-piece")).not.toBeNull());
  return container;
}

describe("Markdown", () => {
  it("leaves hostile HTML inert", async () => {
    const box = await draw(
      [
        "<script>window.hacked = 1</script>",
        '<img src=x onerror="window.hacked = 1">',
        "[click](javascript:alert(1)) [data](data:text/html,hi) [file](file:///etc/passwd)",
        "![x](javascript:alert(1))",
        '<iframe src="//evil"></iframe><svg onload=alert(1)>',
        "$\\href{javascript:alert(1)}{x}$ $\\htmlData{onclick=alert(1)}{y}$",
        "<a href='javascript:alert(1)' onclick='alert(1)'>raw</a>",
      ].join("\n\n"),
    );
    expect(box.querySelector("script, iframe, img, object, embed")).toBeNull();
    for (const element of box.querySelectorAll("*")) {
      for (const name of element.getAttributeNames()) expect(name).not.toMatch(/^on/i);
      const href = element.getAttribute("href");
      if (href) expect(href).toMatch(/^(https?:|mailto:|#)/);
    }
  });

  it("opens links in a new tab without telling who asks", async () => {
    const box = await draw("[paper](https://arxiv.org/abs/2303.14849) and <https://example.org>");
    for (const link of box.querySelectorAll("a")) {
      expect(link.target).toBe("_blank");
      expect(link.rel).toContain("noopener");
    }
    expect(box.querySelectorAll("a")).toHaveLength(2);
  });

  it("draws all four ways to write mathematics, and keeps the LaTeX for copying", async () => {
    const box = await draw("$a$ and \\(b\\)\n\n$$c$$\n\n\\[d\\]");
    expect(box.querySelectorAll(".katex")).toHaveLength(4);
    expect(box.querySelectorAll(".katex-display")).toHaveLength(2);
    const sources = [...box.querySelectorAll("[data-latex]")].map((e) =>
      e.getAttribute("data-latex"),
    );
    expect(sources).toEqual(["a", "b", "c", "d"]);
  });

  it("shows a broken formula instead of failing", async () => {
    const box = await draw("$\\frac{1}{$ goes on");
    expect(box.textContent).toContain("goes on");
  });

  it("draws tables and lists", async () => {
    const box = await draw("| a | b |\n|---|---|\n| 1 | $x$ |\n\n- one\n- two");
    expect(box.querySelectorAll("td")).toHaveLength(2);
    expect(box.querySelectorAll("li")).toHaveLength(2);
  });
});

describe("safeUrl", () => {
  it.each(["https://a.b", "http://a.b", "mailto:a@b.c", "#user-content-fn-1"])(
    "lets %s pass",
    (url) => expect(safeUrl(url)).toBe(url),
  );
  it.each([
    "javascript:alert(1)",
    " javascript:alert(1)",
    "JaVaScRiPt:x",
    "data:text/html,x",
    "//evil.example",
    "/api/auth/logout",
    "vbscript:x",
  ])("drops %s", (url) => expect(safeUrl(url)).toBe(""));
});
