/** Light or dark: as the system says, unless chosen here. */
import { effect, signal } from "@preact/signals";
import { readSetting, writeSetting } from "./settings.ts";

export type Theme = "system" | "light" | "dark";
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

const stored = readSetting("theme");
export const theme = signal<Theme>(stored === "light" || stored === "dark" ? stored : "system");

export function startTheme(): void {
  effect(() => {
    if (theme.value === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme.value;
  });
}

export function toggleTheme(): void {
  theme.value = NEXT[theme.value];
  writeSetting("theme", theme.value);
}
