import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { type ClientProgram, runGo } from "../../conformance/clients/programs.ts";
import { type Run, run } from "../../conformance/clients/run.ts";

export type PeerName = "controller-runtime" | "kube-rs" | "kopf" | "client-node" | "pepr" | "load" | "controller-gen";

/** The programs of this folder. Each is built with the tools and the registry of its language, into the user's cache folder. */
export const programs: Readonly<Record<PeerName, ClientProgram>> = {
  "controller-runtime": definePeer("controller-runtime", "go", buildGo, (built) => [join(built, "program")]),
  load: definePeer("load", "go", buildGo, (built) => [join(built, "program")]),
  "controller-gen": definePeer("controller-gen", "go", buildControllerGen, (built) => [join(built, "program")]),
  "kube-rs": definePeer(
    "kube-rs",
    "cargo",
    async (into, { sources, signal }) => {
      const target = join(sources, "target");
      await run("cargo", ["build", "--release", "--quiet"], { folder: sources, env: { CARGO_TARGET_DIR: target }, signal });
      cpSync(join(target, "release/bench-kube-rs"), join(into, "program"));
    },
    (built) => [join(built, "program")],
  ),
  // Only its dependencies are built; the sources run from the repository.
  kopf: { ...definePeer("kopf", "python3", buildVenv, getKopfCommand), sources: ["requirements.txt"] },
  "client-node": definePeer("client-node", "npm", buildNpm, (built) => [process.execPath, join(built, "main.js")]),
  pepr: {
    ...definePeer("pepr", "npm", buildNpm, (built) => [process.execPath, join(built, "main.js")]),
    sources: ["main.mjs", "package.json"],
  },
};

function definePeer(name: PeerName, tool: string, build: ClientProgram["build"], command: ClientProgram["command"]): ClientProgram {
  const folder = join(import.meta.dirname, name);
  const sources = readdirSync(folder).filter((file) => file !== "__pycache__");
  return { name: `bench-${name}`, folder, sources: sources.sort(), tool, build, command };
}

async function buildGo(into: string, at: { readonly sources: string } & Run): Promise<void> {
  await runGo(["build", "-trimpath", "-ldflags", "-s -w", "-o", join(into, "program"), "."], at);
}

async function buildVenv(into: string, { sources, signal }: { readonly sources: string } & Run): Promise<void> {
  await run("python3", ["-m", "venv", into], { folder: sources, env: {}, signal });
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"];
  await run(join(into, "bin/python"), install, { folder: sources, env: {}, signal });
}

function getKopfCommand(built: string, sources: string): readonly string[] {
  return [join(built, "bin/python"), "-B", join(sources, "main.py")];
}

/** Builds controller-gen, and copies the Go module whose dependencies the generated types import. */
async function buildControllerGen(into: string, at: { readonly sources: string } & Run): Promise<void> {
  await runGo(["build", "-o", join(into, "program"), "sigs.k8s.io/controller-tools/cmd/controller-gen"], at);
  await runGo(["build", "./..."], at);
  for (const file of ["go.mod", "go.sum", "api"]) cpSync(join(at.sources, file), join(into, file), { recursive: true });
}

/** Installs the package with npm into its own folder, outside this workspace and its lock file. */
async function buildNpm(into: string, { sources, signal }: { readonly sources: string } & Run): Promise<void> {
  cpSync(join(sources, "package.json"), join(into, "package.json"));
  const install = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev", "--loglevel=error"];
  await run("npm", install, { folder: into, env: {}, signal });
  const entryPoints = readdirSync(sources)
    .filter((file) => /^main\.m?[jt]s$/.test(file))
    .map((file) => join(sources, file));
  await bundle({ entryPoints, outdir: into, bundle: true, format: "esm", platform: "node", target: "node20.19", packages: "external" });
}
