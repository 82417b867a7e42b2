import { builtinModules } from "node:module";
import path from "node:path";
import { type BuildOptions, build, type OutputFile } from "esbuild";
import { CommandError } from "../command.ts";
import { CONDITIONS, type Project } from "../project/index.ts";
import type { Entry } from "./tar.ts";
import { wholeModules } from "./whole-modules.ts";

/** An operator's code, apart from what it imports, so that a change of the code is a small layer. */
export interface Program {
  readonly code: readonly Entry[];
  readonly dependencies: readonly Entry[];
}

const MAIN = "main";
const SHELF = "dependencies";
/** The thread that renews leases, which `run()` starts by its name. */
const THREAD = "elector-worker";

/**
 * The operator as a few minified files. A second entry, which keeps whole packages alive, makes the bundler put them into
 * files of their own, whose bytes do not depend on the operator's code.
 */
export async function program(project: Project): Promise<Program> {
  const found = await imported(project);
  const packages = [...new Set(found.map(({ name }) => name))].sort();
  const later = await wholeModules(
    project.root,
    found.flatMap(({ name, later }) => (later ? [name] : [])),
  );
  const { outputFiles } = await build({
    ...options(project),
    entryPoints: [
      { in: path.join(project.root, project.entry), out: MAIN },
      { in: "pintle-shelf", out: SHELF },
      { in: "pintle-thread", out: THREAD },
    ],
    splitting: true,
    minify: true,
    legalComments: "none",
    chunkNames: "shared/[hash]",
    // What is left of CommonJS in a dependency asks for Node's modules by `require`.
    banner: {
      js: `import{createRequire as createRequireOfThisFile}from"node:module";const require=createRequireOfThisFile(import.meta.url);`,
    },
    plugins: [
      {
        name: "shelf",
        setup(bundler) {
          bundler.onResolve({ filter: /^pintle-shelf$/ }, () => ({ path: "shelf", namespace: "shelf" }));
          bundler.onResolve({ filter: /^pintle-thread$/ }, () => ({ path: "thread", namespace: "thread" }));
          bundler.onLoad({ filter: /.*/, namespace: "thread" }, () => ({
            contents: `import "pintle/manager/${THREAD}";`,
            resolveDir: project.root,
          }));
          bundler.onResolve({ filter: /^[^./]/ }, ({ kind, path: name }) =>
            kind === "dynamic-import" && later.has(name) ? { path: name, namespace: "whole" } : undefined,
          );
          bundler.onLoad({ filter: /.*/, namespace: "whole" }, ({ path: name }) => ({
            contents: later.get(name)!,
            resolveDir: project.root,
          }));
          bundler.onLoad({ filter: /.*/, namespace: "shelf" }, () => ({
            contents: packages.map((name, i) => `export * as p${i} from ${JSON.stringify(name)};`).join("\n"),
            resolveDir: project.root,
          }));
        },
      },
    ],
  }).catch((error: Error) => {
    throw new CommandError(`pintle build: ${project.entry} does not compile:\n${error.message}`);
  });
  const isCode = ({ path: file }: OutputFile) => file.endsWith(`/${MAIN}.js`);
  const dependencies = outputFiles.filter((file) => !isCode(file)).map(entryOf);
  return { code: outputFiles.filter(isCode).map(entryOf), dependencies: [...dependencies, ...threadByName()] };
}

/** So that the name leads to the file. */
function threadByName(): readonly Entry[] {
  const file = (path: string, text: string): Entry => ({ path: `app/node_modules/pintle/${path}`, mode: 0o644, data: Buffer.from(text) });
  const exports = { [`./manager/${THREAD}`]: "./thread.js" };
  return [
    file("package.json", JSON.stringify({ name: "pintle", type: "module", exports })),
    file("thread.js", `import "../../${THREAD}.js";\n`),
  ];
}

const FOLDER = "/app";
function options(project: Project) {
  return {
    absWorkingDir: project.root,
    bundle: true,
    write: false as const,
    outdir: FOLDER,
    format: "esm" as const,
    platform: "node" as const,
    target: "node20.19",
    logLevel: "silent" as const,
    conditions: [...CONDITIONS],
  } satisfies BuildOptions;
}

function entryOf({ path: file, contents }: OutputFile): Entry {
  return { path: file.slice(1).replaceAll(path.sep, "/"), mode: 0o644, data: contents };
}

/** The packages that the operator's own files import, as they name them, and whether only while they run. */
async function imported(project: Project): Promise<readonly { readonly name: string; readonly later: boolean }[]> {
  const { metafile } = await build({
    ...options(project),
    entryPoints: [path.join(project.root, project.entry)],
    packages: "external",
    metafile: true,
  }).catch((error: Error) => {
    throw new CommandError(`pintle build: ${project.entry} does not compile:\n${error.message}`);
  });
  return Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports.filter(({ external }) => external))
    .map(({ path: name, kind }) => ({ name, later: kind === "dynamic-import" }))
    .filter(({ name }) => !name.startsWith("node:") && !builtinModules.includes(name));
}
