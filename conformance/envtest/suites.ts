import { cp } from "node:fs/promises";
import { join } from "node:path";
import { type ClientProgram, runGo } from "../clients/programs.ts";

/** The packages of the project that have tests. */
export const PACKAGES = ["internal/controller", "internal/webhook/v1", "plain"] as const;
export type Package = (typeof PACKAGES)[number];

/** The test programs of a kubebuilder project, one a package, as `go test` would build them. */
export const envtestSuites: ClientProgram = {
  name: "envtest",
  folder: join(import.meta.dirname, "project"),
  sources: ["go.mod", "api", "config", "internal", "plain"],
  tool: "go",
  async build(into, { sources, signal }) {
    for (const name of PACKAGES) await runGo(["test", "-c", "-o", programPath(into, name), `./${name}`], { sources, signal });
    // The tests read manifests relative to the folder of their package.
    for (const name of ["config", ...PACKAGES]) await cp(join(sources, name), join(into, name), { recursive: true });
  },
  command: (built) => [built],
};

export function programPath(built: string, name: Package): string {
  return join(built, `${name.replaceAll("/", "-")}.test`);
}
