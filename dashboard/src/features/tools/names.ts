import type { TFunction } from "i18next";
import { en } from "@/i18n/en";

type KnownTool = keyof typeof en.tool.names;

function isKnown(name: string): name is KnownTool {
  return Object.hasOwn(en.tool.names, name);
}

/** A tool as the reader knows it; one that we do not know goes by its own name. */
export function toolName(name: string, t: TFunction): string {
  return isKnown(name) ? t(`tool.names.${name}`) : name;
}
