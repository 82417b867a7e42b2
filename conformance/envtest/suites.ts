import { cp } from "node:fs/promises";
import { join } from "node:path";
import { type ClientProgram, goTool } from "../clients/programs.ts";

/** The packages of the project that have tests. */
export const PACKAGES = ["internal/controller", "internal/webhook/v1", "plain"] as const;
export type Package = (typeof PACKAGES)[number];

/** The test programs of a kubebuilder project, one a package, as `go test` would build them. */
export const suites: ClientProgram = {
  name: "envtest",
  folder: join(import.meta.dirname, "project"),
  sources: ["go.mod", "api", "config", "internal", "plain"],
  tool: "go",
  async build(into, { sources, signal }) {
    for (const name of PACKAGES) await goTool(["test", "-c", "-o", programOf(into, name), `./${name}`], { sources, signal });
    // They look for manifests from the folder of their package.
    for (const name of ["config", ...PACKAGES]) await cp(join(sources, name), join(into, name), { recursive: true });
  },
  command: (built) => [built],
};

export function programOf(built: string, name: Package): string {
  return join(built, `${name.replaceAll("/", "-")}.test`);
}
