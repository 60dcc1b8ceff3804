import { fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import "@/i18n";
import { Blocks } from "../timeline/Blocks";
import { toBlocks } from "../timeline/blocks";
import { recorder } from "../timeline/fixture";
import { EMPTY_LANE, EMPTY_TIMELINE, MAIN, type Timeline } from "../timeline/model";
import { useOpenChoices } from "../timeline/open";
import { reduceAll } from "../timeline/reduce";
import { TimelineContext } from "../timeline/TimelineContext";

function Page({ timeline }: { timeline: Timeline }) {
  return (
    <TimelineContext value={timeline}>
      <Blocks
        blocks={toBlocks(timeline.lanes[MAIN] ?? EMPTY_LANE)}
        working={timeline.activeRunId !== null}
      />
    </TimelineContext>
  );
}

beforeEach(() => useOpenChoices.setState({ choices: {} }));

describe("tool cards", () => {
  const { events, emit } = recorder();
  emit("run_started", { run_id: "r1", message_ids: [] });
  emit("tool_call", { id: "c1", name: "query_target", arguments: { name: "M 31" }, step: 1 });
  const running = reduceAll(EMPTY_TIMELINE, events);
  emit("tool_result", {
    tool_call_id: "c1",
    name: "query_target",
    output: "M 31",
    is_error: false,
    metadata: { status: "found", name: "M 31", ra_deg: 10.6847, dec_deg: 41.26875, type: "Galaxy" },
  });
  emit("text_delta", { delta: "Andromeda." });
  const later = reduceAll(EMPTY_TIMELINE, events);

  it("shows the call, then its outcome in place", () => {
    const { rerender } = render(<Page timeline={running} />);
    const card = screen.getByTestId("tool-card");
    expect(card.dataset["status"]).toBe("running");
    expect(card.textContent).toContain("M 31");
    rerender(<Page timeline={later} />);
    expect(screen.getByTestId("tool-card")).toBe(card);
    expect(card.dataset["status"]).toBe("ok");
    expect(card.dataset["toolName"]).toBe("query_target");
    expect(card.textContent).toContain("00ʰ 42ᵐ 44.33ˢ");
  });

  it("keeps what the user opened through new events and a remount", () => {
    const { rerender, unmount } = render(<Page timeline={running} />);
    const button = () => screen.getByTestId("tool-card").querySelector("button") as HTMLElement;
    fireEvent.click(button());
    expect(button().getAttribute("aria-expanded")).toBe("true");
    rerender(<Page timeline={later} />);
    expect(button().getAttribute("aria-expanded")).toBe("true");
    expect(screen.getByTestId("target-card").textContent).toContain("Galaxy");
    unmount();
    render(<Page timeline={later} />);
    expect(button().getAttribute("aria-expanded")).toBe("true");
    // A reload reads it back from the tab's storage.
    expect(sessionStorage.getItem("almagest-open")).toContain("c1");
  });

  it("keeps a group that the user closed closed", () => {
    const { rerender } = render(<Page timeline={running} />);
    fireEvent.click(screen.getByTestId("work-group-toggle"));
    expect(screen.queryByTestId("tool-card")).toBeNull();
    rerender(<Page timeline={later} />);
    expect(screen.queryByTestId("tool-card")).toBeNull();
  });
});
