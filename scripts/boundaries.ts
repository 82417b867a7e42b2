/**
 * Who may import whom. `npm run boundaries` reads every import of every source file and fails on a forbidden one.
 * The rules are the tables below; the drawing is in docs/architecture.md. An argument names another checkout to read.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Which packages of ours each tree may import, by package name. Trees not listed may import anything. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // The script that makes built-in kinds; its own tree, because it uses the library as anyone would.
  "packages/pintle/generator": ["pintle"],
  "packages/pintle": [],
  "packages/cluster": ["pintle"],
  "packages/cli": ["pintle", "@pintle/cluster"],
  "packages/create-pintle": ["@pintle/cli"],
  "examples/application": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/etcd": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/imoocpod": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/memcached": ["pintle", "@pintle/cluster", "@pintle/cli"],
};
const OURS = /^(pintle|create-pintle|@pintle\/[^/]+|conformance|bench)(\/|$)/;

/** Inside a package: which folders each folder of `src` may import. Files directly in `src` may import every folder. */
const FOLDERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "packages/pintle": {
    kinds: [],
    client: ["kinds"],
    queue: ["kinds"],
    tls: ["queue"],
    merge: ["kinds"],
    resource: ["merge", "client", "kinds"],
    cache: ["queue", "merge", "client", "kinds"],
    webhook: ["cache", "queue", "merge", "resource", "client", "kinds", "tls"],
    controller: ["cache", "queue", "merge", "resource", "client", "kinds"],
    testing: ["controller", "cache", "queue", "merge", "resource", "client", "kinds"],
    manager: ["controller", "webhook", "cache", "queue", "merge", "resource", "client", "kinds", "tls"],
  },
  "packages/cli": {
    scaffold: [],
    project: [],
    manifests: ["project"],
    chart: ["manifests", "project"],
    checks: ["project"],
    reach: ["project"],
    image: ["project"],
    local: [],
    dev: ["reach", "manifests", "project"],
    commands: ["dev", "local", "image", "reach", "checks", "chart", "manifests", "project", "scaffold"],
  },
  "packages/cluster": {
    status: [],
    hold: [],
    store: ["codec", "hold"],
    codec: [],
    tls: [],
    apply: ["status"],
    schema: ["status"],
    api: ["apply", "schema", "codec", "store", "tls", "status"],
    admission: ["api", "apply", "schema", "codec", "store", "status"],
    builtin: ["admission", "api", "schema", "codec", "store", "status"],
    access: ["api", "store", "status"],
    bootstrap: ["api", "store", "status"],
    controllers: ["api", "builtin"],
    node: ["controllers", "api", "builtin", "status"],
    streams: ["node", "api", "store", "tls", "status"],
    testing: ["api", "store", "status", "tls"],
    dropin: ["builtin", "api", "hold", "tls", "status"],
    // For users' tests: it has what users have.
    vitest: [],
  },
};

/** What a folder shows to others: its index.ts; a built-in group-version is a door of its own. */
const DOOR = /^(index\.ts|generated\/[^/]+\/[^/]+\.ts)$/;

/** Why `file` may not import `specifier`, or undefined when it may. Paths are relative to the repository, with `/`. */
export function forbidden(file: string, specifier: string): string | undefined {
  const tree = Object.keys(PACKAGES).find((p) => file.startsWith(`${p}/`));
  if (tree === undefined) return undefined;
  if (!specifier.startsWith(".")) {
    const name = OURS.exec(specifier)?.[1];
    if (name === undefined || PACKAGES[tree]?.includes(name)) return undefined;
    return `${tree} may not import ${name}`;
  }
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  if (!target.startsWith(`${tree}/`)) return `a relative import may not leave ${tree}: import the package by its name`;
  const [from, to] = [placeOf(tree, file), placeOf(tree, target)];
  if (to?.part !== "src" || from?.folder === to.folder) return undefined;
  if (!DOOR.test(to.rest)) return `${to.folder}/${to.rest} is private to ${to.folder}: import ${to.folder}/index.ts`;
  // Tests may put any rooms together, as users do, through their doors.
  const allowed = from?.part === "src" && !/\.test(-d)?\.ts$/.test(file) ? FOLDERS[tree]?.[from.folder] : undefined;
  if (allowed === undefined || allowed.includes(to.folder)) return undefined;
  return `${from?.folder} may not import ${to.folder} (allowed: ${allowed.join(", ") || "nothing"})`;
}

interface Place {
  readonly part: "src" | "test";
  readonly folder: string;
  readonly rest: string;
}

/**
 * `packages/pintle/src/cache/store.ts` -> { part: "src", folder: "cache", rest: "store.ts" }; undefined outside a folder.
 * The tests of a folder see what is private to it, also from `packages/pintle/test/cache/`.
 */
function placeOf(tree: string, file: string): Place | undefined {
  const [, part, folder, rest] = /^(src|test)\/([^/]+)\/(.+)$/.exec(file.slice(tree.length + 1)) ?? [];
  return folder !== undefined && rest !== undefined ? { part: part as Place["part"], folder, rest } : undefined;
}

/** Every module specifier a source text imports, statically or not. */
export function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/[^\n]*/g, "");
  const found = code.matchAll(/(?:^|[\s;])(?:import|export)\s(?:[^"';]*?\sfrom\s*)?["']([^"'\n]+)["']|\bimport\(\s*["']([^"'\n]+)["']/g);
  return [...found].map((m) => (m[1] ?? m[2]) as string).filter((specifier) => !specifier.includes("${"));
}

function main(root: string): void {
  let files = 0;
  const problems: string[] = [];
  for (const tree of Object.keys(PACKAGES).filter((t) => existsSync(path.join(root, t)))) {
    for (const entry of readdirSync(path.join(root, tree), { recursive: true, encoding: "utf8" })) {
      const file = `${tree}/${entry.replaceAll(path.sep, "/")}`;
      if (!file.endsWith(".ts") || /\/(node_modules|dist)\//.test(file)) continue;
      files++;
      for (const specifier of importsOf(readFileSync(path.join(root, file), "utf8"))) {
        const why = forbidden(file, specifier);
        if (why !== undefined) problems.push(`${file}: import "${specifier}": ${why}`);
      }
    }
  }
  for (const problem of problems) console.error(problem);
  console.log(`import boundaries: ${files} files, ${problems.length} forbidden imports`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) main(process.argv[2] ?? path.dirname(path.dirname(self)));
