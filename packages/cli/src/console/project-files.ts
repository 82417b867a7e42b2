import { readFileSync } from "node:fs";
import path from "node:path";
import type { SourceFile } from "@pintle/console/internal/source";
import type { JsonObject } from "pintle/kinds";
import { parseYaml } from "../manifests/index.ts";
import { listSamples, type Project, readSources } from "../project/index.ts";
import { formatYaml } from "./format-yaml.ts";

/** How long the files that were read are good enough: a page asks several times in a row. */
const FRESH_MS = 1_000;

/** The sources and samples of a project, as they are now. */
export function createProjectFiles(project: Pick<Project, "root" | "entry">) {
  let read: { readonly at: number; readonly files: readonly SourceFile[] } | undefined;
  return {
    sources(): readonly SourceFile[] {
      if (read === undefined || performance.now() - read.at > FRESH_MS) {
        const files = [...readSources(project)].map(([file, text]) => ({ file, text, path: path.join(project.root, file) }));
        read = { at: performance.now(), files };
      }
      return read.files;
    },
    samples: listSamples(project),
    sampleOf(kind: string): string | undefined {
      for (const file of listSamples(project)) {
        const objects = parseYaml(readFileSync(path.join(project.root, file), "utf8"), file) as readonly JsonObject[];
        const found = objects.find((object) => object["kind"] === kind);
        if (found !== undefined) return formatYaml(found);
      }
      return undefined;
    },
  };
}
