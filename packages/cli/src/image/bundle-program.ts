import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import type { TarEntry } from "@pintle/lifecycle/internal/image";
import { type BuildOptions, build, type OutputFile } from "esbuild";
import { DEFER_OPTIMIZATION } from "pintle/internal/process";
import { CommandError } from "../command/index.ts";
import { BUNDLE_CONDITIONS, NODE_FLAGS, type Project } from "../project/index.ts";

/** What is bundled: the folder in which packages are looked up, and the entry file in it. */
type ProgramSource = Pick<Project, "root" | "entry">;

/** The operator's code and its dependencies in separate layers, so that a code change produces a small layer. */
export interface BundledProgram {
  readonly code: readonly TarEntry[];
  readonly dependencies: readonly TarEntry[];
  /** The packages whose code is in these files, by name. */
  readonly packages: readonly BundledPackage[];
}

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
}

const MAIN_ENTRY = "main";
const DEPENDENCIES_ENTRY = "dependencies";
/** The worker thread that renews the leader election lease; `run()` starts it by this name. */
const LEASE_THREAD = "elector-worker";

/**
 * Bundles the operator into a few minified files. A second entry point re-exports every imported package, so that the bundler moves them
 * into chunks whose bytes do not depend on the operator's code.
 */
export async function bundleProgram(project: ProgramSource): Promise<BundledProgram> {
  const imports = await listImportedPackages(project);
  const packages = [...new Set(imports.map(({ name }) => name))].sort();
  const dynamicModules = await reexportModules(
    project.root,
    imports.flatMap(({ name, isDynamic }) => (isDynamic ? [name] : [])),
  );
  const { outputFiles, metafile } = await build({
    ...esbuildOptions(project),
    entryPoints: [
      { in: path.join(project.root, project.entry), out: MAIN_ENTRY },
      { in: "pintle-dependencies", out: DEPENDENCIES_ENTRY },
      { in: "pintle-thread", out: LEASE_THREAD },
    ],
    splitting: true,
    metafile: true,
    minify: true,
    legalComments: "none",
    chunkNames: "shared/[hash]",
    // CommonJS dependencies call `require` for Node's modules.
    banner: {
      js: `import{createRequire as createRequireOfThisFile}from"node:module";const require=createRequireOfThisFile(import.meta.url);`,
    },
    plugins: [
      {
        name: "dependencies",
        setup(bundler) {
          bundler.onResolve({ filter: /^pintle-dependencies$/ }, () => ({ path: "dependencies", namespace: "dependencies" }));
          bundler.onResolve({ filter: /^pintle-thread$/ }, () => ({ path: "thread", namespace: "thread" }));
          bundler.onLoad({ filter: /.*/, namespace: "thread" }, () => ({
            contents: `import "pintle/internal/manager/${LEASE_THREAD}";`,
            resolveDir: project.root,
          }));
          bundler.onResolve({ filter: /^[^./]/ }, ({ kind, path: name }) =>
            kind === "dynamic-import" && dynamicModules.has(name) ? { path: name, namespace: "whole" } : undefined,
          );
          bundler.onLoad({ filter: /.*/, namespace: "whole" }, ({ path: name }) => ({
            contents: dynamicModules.get(name)!,
            resolveDir: project.root,
          }));
          bundler.onLoad({ filter: /.*/, namespace: "dependencies" }, () => ({
            contents: packages.map((name, i) => `export * as p${i} from ${JSON.stringify(name)};`).join("\n"),
            resolveDir: project.root,
          }));
        },
      },
    ],
  }).catch((error: Error) => {
    throw new CommandError("PINTLE7025", `${project.entry} does not compile:\n${error.message}`);
  });
  const isCode = ({ path: file }: OutputFile) => file.endsWith(`/${MAIN_ENTRY}.js`);
  const dependencies = outputFiles.filter((file) => !isCode(file)).map(toTarEntry);
  return {
    code: outputFiles.filter(isCode).map(toTarEntry).map(withDeferredOptimization),
    dependencies: [...dependencies, ...leaseThreadPackage()],
    packages: listPackages(project.root, Object.keys(metafile.inputs)),
  };
}

/** The packages that files belong to: the nearest package.json above that has a name and a version. The project itself is one too. */
function listPackages(root: string, files: readonly string[]): readonly BundledPackage[] {
  const byFolder = new Map<string, BundledPackage | undefined>();
  const find = (folder: string): BundledPackage | undefined => {
    if (!byFolder.has(folder)) {
      const parent = path.dirname(folder);
      byFolder.set(folder, readPackage(folder) ?? (parent === folder ? undefined : find(parent)));
    }
    return byFolder.get(folder);
  };
  const found = files.filter((file) => !/^[\w-]+:/.test(file)).flatMap((file) => find(path.dirname(path.resolve(root, file))) ?? []);
  const unique = new Map(found.map((each) => [`${each.name}@${each.version}`, each]));
  return [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readPackage(folder: string): BundledPackage | undefined {
  const file = path.join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  const { name, version, license } = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;
  // Packages have further package.json files inside, which only say how to load a folder.
  if (typeof name !== "string" || typeof version !== "string") return undefined;
  return { name, version, license: typeof license === "string" ? license : undefined };
}

/**
 * The image's process runs only the operator, so its entry point may set process-wide V8 flags, if the Node of the base image has them. A
 * hashbang stays the first line.
 */
function withDeferredOptimization(entry: TarEntry): TarEntry {
  const code = Buffer.from(entry.data!).toString("utf8");
  const hashbang = /^#!.*\n/.exec(code)?.[0] ?? "";
  const { flag, v8 } = DEFER_OPTIMIZATION;
  const isKnown = `process.versions.v8.startsWith(${JSON.stringify(`${v8}.`)})`;
  const prelude = `import{setFlagsFromString as setV8Flags}from"node:v8";${isKnown}&&setV8Flags(${JSON.stringify(flag)});\n`;
  return { ...entry, data: Buffer.from(hashbang + prelude + code.slice(hashbang.length)) };
}

/** Returns a package.json and module that resolve the worker's import specifier to its file. */
function leaseThreadPackage(): readonly TarEntry[] {
  const file = (path: string, text: string): TarEntry => ({
    path: `app/node_modules/pintle/${path}`,
    mode: 0o644,
    data: Buffer.from(text),
  });
  const exports = { [`./internal/manager/${LEASE_THREAD}`]: "./thread.js" };
  return [
    file("package.json", JSON.stringify({ name: "pintle", type: "module", exports })),
    file("thread.js", `import "../../${LEASE_THREAD}.js";\n`),
  ];
}

const APP_FOLDER = "/app";
function esbuildOptions(project: ProgramSource) {
  return {
    absWorkingDir: project.root,
    bundle: true,
    write: false as const,
    outdir: APP_FOLDER,
    format: "esm" as const,
    platform: "node" as const,
    target: "node20.19",
    logLevel: "silent" as const,
    conditions: [...BUNDLE_CONDITIONS],
  } satisfies BuildOptions;
}

function toTarEntry({ path: file, contents }: OutputFile): TarEntry {
  return { path: file.slice(1).replaceAll(path.sep, "/"), mode: 0o644, data: contents };
}

/** Returns the packages that the operator's files import, and whether the import is dynamic. */
async function listImportedPackages(project: ProgramSource): Promise<readonly { readonly name: string; readonly isDynamic: boolean }[]> {
  const { metafile } = await build({
    ...esbuildOptions(project),
    entryPoints: [path.join(project.root, project.entry)],
    packages: "external",
    metafile: true,
  }).catch((error: Error) => {
    throw new CommandError("PINTLE7025", `${project.entry} does not compile:\n${error.message}`);
  });
  return Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports.filter(({ external }) => external))
    .map(({ path: name, kind }) => ({ name, isDynamic: kind === "dynamic-import" }))
    .filter(({ name }) => !name.startsWith("node:") && !builtinModules.includes(name));
}

const LIST_EXPORTS_SCRIPT =
  "import(process.argv[1]).then((all) => process.stdout.write(JSON.stringify(Object.keys(all)), () => process.exit()))";

/**
 * Returns, for each dynamically imported package, a module that re-exports every name that Node exports for it. With code splitting, the
 * bundler would export only the default of a CommonJS package, because its named exports are not known statically.
 */
export async function reexportModules(root: string, packages: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const modules = [...new Set(packages)].sort().map(async (name) => {
    const args = [...NODE_FLAGS, "--input-type=module", "--eval", LIST_EXPORTS_SCRIPT, name];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root }).catch((error: Error & { stderr?: string }) => {
      throw new CommandError(
        "PINTLE7081",
        `cannot import ${name}: ${
          (error.stderr ?? error.message)
            .trim()
            .split("\n")
            .find((line) => /Error/.test(line)) ?? error.message
        }`,
      );
    });
    const names = (JSON.parse(stdout) as readonly string[]).filter((each) => /^[A-Za-z_$][\w$]*$/.test(each)).sort();
    return [name, `export { ${names.join(", ")} } from ${JSON.stringify(name)};\n`] as const;
  });
  return new Map(await Promise.all(modules));
}
