import { fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import "@/i18n";
import { usePreferences } from "@/app/preferences";
import { Composer } from "./Composer";
import { useDrafts } from "./drafts";

function setUp() {
  const onSend = vi.fn();
  render(<Composer draftKey="s1" runId={null} onSend={onSend} />);
  return { onSend, area: screen.getByTestId<HTMLTextAreaElement>("composer") };
}

beforeEach(() => {
  useDrafts.setState({ texts: {} });
  usePreferences.setState({ sendKey: "enter" });
});

describe("Composer", () => {
  it("sends on Enter and empties itself", () => {
    const { onSend, area } = setUp();
    fireEvent.change(area, { target: { value: "  a question " } });
    fireEvent.keyDown(area, { key: "Enter" });
    expect(onSend).toHaveBeenCalledExactlyOnceWith("a question");
    expect(area.value).toBe("");
    expect(useDrafts.getState().texts).toEqual({});
  });

  it.each([
    ["Shift+Enter", { shiftKey: true }],
    ["an Enter that ends a composition", { isComposing: true }],
    ["the same in Safari", { keyCode: 229 }],
  ])("does not send on %s", (_name, keys) => {
    const { onSend, area } = setUp();
    fireEvent.change(area, { target: { value: "ni hao" } });
    fireEvent.keyDown(area, { key: "Enter", ...keys });
    expect(onSend).not.toHaveBeenCalled();
    expect(area.value).toBe("ni hao");
  });

  it("sends on Ctrl+Enter only, if so wished", () => {
    usePreferences.setState({ sendKey: "mod" });
    const { onSend, area } = setUp();
    fireEvent.change(area, { target: { value: "x" } });
    fireEvent.keyDown(area, { key: "Enter" });
    expect(onSend).not.toHaveBeenCalled();
    fireEvent.keyDown(area, { key: "Enter", ctrlKey: true });
    expect(onSend).toHaveBeenCalledOnce();
  });

  it("does not send nothing", () => {
    const { onSend, area } = setUp();
    fireEvent.change(area, { target: { value: "  \n " } });
    fireEvent.keyDown(area, { key: "Enter" });
    expect(onSend).not.toHaveBeenCalled();
    expect(screen.getByTestId<HTMLButtonElement>("send").disabled).toBe(true);
  });

  it("keeps a draft for each session", () => {
    useDrafts.getState().write("s1", "first");
    useDrafts.getState().write("s2", "second");
    const { area } = setUp();
    expect(area.value).toBe("first");
  });
});
