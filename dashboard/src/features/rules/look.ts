import { CircleCheck, CircleHelp, CircleX, type LucideIcon } from "lucide-react";
import type { RuleEffect } from "@/api/types";

export const EFFECTS: readonly RuleEffect[] = ["allow", "ask", "deny"];

/** A picture and a colour for each effect; the word stands beside them always. */
export const EFFECT_LOOK: Record<RuleEffect, { Icon: LucideIcon; color: string }> = {
  allow: { Icon: CircleCheck, color: "text-good" },
  ask: { Icon: CircleHelp, color: "text-gold" },
  deny: { Icon: CircleX, color: "text-bad" },
};
