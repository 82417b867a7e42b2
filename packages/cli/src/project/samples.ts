import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Project } from "./find-project.ts";

export const SAMPLES_FOLDER = "config/samples";

/** Returns the paths of the project's samples, relative to its root. */
export function listSamples({ root }: Pick<Project, "root">): readonly string[] {
  if (!existsSync(path.join(root, SAMPLES_FOLDER))) return [];
  return readdirSync(path.join(root, SAMPLES_FOLDER))
    .filter((file) => /\.ya?ml$/.test(file) && file !== "kustomization.yaml")
    .sort()
    .map((file) => `${SAMPLES_FOLDER}/${file}`);
}
