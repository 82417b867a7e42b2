import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { type ClientProgram, goTool } from "../../conformance/clients/programs.ts";
import { type Run, run } from "../../conformance/clients/run.ts";

export type PeerName = "controller-runtime" | "kube-rs" | "kopf" | "client-node" | "pepr" | "load" | "controller-gen";

/** The programs of this folder, each in its language, built from the registry of its language into the user's cache folder. */
export const programs: Readonly<Record<PeerName, ClientProgram>> = {
  "controller-runtime": program("controller-runtime", "go", goBuild, (built) => [join(built, "program")]),
  load: program("load", "go", goBuild, (built) => [join(built, "program")]),
  "controller-gen": program("controller-gen", "go", generatorBuild, (built) => [join(built, "program")]),
  "kube-rs": program(
    "kube-rs",
    "cargo",
    async (into, { sources, signal }) => {
      const target = join(sources, "target");
      await run("cargo", ["build", "--release", "--quiet"], { folder: sources, env: { CARGO_TARGET_DIR: target }, signal });
      cpSync(join(target, "release/bench-kube-rs"), join(into, "program"));
    },
    (built) => [join(built, "program")],
  ),
  // Only its libraries are built: the sources run where they are.
  kopf: { ...program("kopf", "python3", venvBuild, kopfCommand), sources: ["requirements.txt"] },
  "client-node": program("client-node", "npm", npmBuild, (built) => [process.execPath, join(built, "main.js")]),
  pepr: {
    ...program("pepr", "npm", npmBuild, (built) => [process.execPath, join(built, "main.js")]),
    sources: ["main.mjs", "package.json"],
  },
};

function program(name: PeerName, tool: string, build: ClientProgram["build"], command: ClientProgram["command"]): ClientProgram {
  const folder = join(import.meta.dirname, name);
  const sources = readdirSync(folder).filter((file) => file !== "__pycache__");
  return { name: `bench-${name}`, folder, sources: sources.sort(), tool, build, command };
}

async function goBuild(into: string, at: { readonly sources: string } & Run): Promise<void> {
  await goTool(["build", "-trimpath", "-ldflags", "-s -w", "-o", join(into, "program"), "."], at);
}

async function venvBuild(into: string, { sources, signal }: { readonly sources: string } & Run): Promise<void> {
  await run("python3", ["-m", "venv", into], { folder: sources, env: {}, signal });
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"];
  await run(join(into, "bin/python"), install, { folder: sources, env: {}, signal });
}

function kopfCommand(built: string, sources: string): readonly string[] {
  return [join(built, "bin/python"), "-B", join(sources, "main.py")];
}

/** The generator, and beside it the module that it is to read, whose imports are there. */
async function generatorBuild(into: string, at: { readonly sources: string } & Run): Promise<void> {
  await goTool(["build", "-o", join(into, "program"), "sigs.k8s.io/controller-tools/cmd/controller-gen"], at);
  await goTool(["build", "./..."], at);
  for (const file of ["go.mod", "go.sum", "api"]) cpSync(join(at.sources, file), join(into, file), { recursive: true });
}

/** As its users would install it, with a folder of its own: our lock file knows nothing of it. */
async function npmBuild(into: string, { sources, signal }: { readonly sources: string } & Run): Promise<void> {
  cpSync(join(sources, "package.json"), join(into, "package.json"));
  const install = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev", "--loglevel=error"];
  await run("npm", install, { folder: into, env: {}, signal });
  const entryPoints = readdirSync(sources)
    .filter((file) => /^main\.m?[jt]s$/.test(file))
    .map((file) => join(sources, file));
  await bundle({ entryPoints, outdir: into, bundle: true, format: "esm", platform: "node", target: "node20.19", packages: "external" });
}
