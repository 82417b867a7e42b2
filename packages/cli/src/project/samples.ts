import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Project } from "./find-project.ts";

export const SAMPLES = "config/samples";

/** The project's samples, by path from its root. */
export function samplesOf({ root }: Pick<Project, "root">): readonly string[] {
  if (!existsSync(path.join(root, SAMPLES))) return [];
  return readdirSync(path.join(root, SAMPLES))
    .filter((file) => /\.ya?ml$/.test(file) && file !== "kustomization.yaml")
    .sort()
    .map((file) => `${SAMPLES}/${file}`);
}
