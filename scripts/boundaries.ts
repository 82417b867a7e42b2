/**
 * Import boundaries. `npm run boundaries` reads every import of every source file and fails on a forbidden one. Three rules:
 *
 * 1. Packages import each other as PACKAGES says, and folders of one package as FOLDERS says; docs/architecture.md has the drawing.
 * 2. A folder with an `index.ts` is imported through it, from anywhere outside. Its sub-folders are private to it, whether they have an
 *    `index.ts` or not, except those in PUBLIC_SUBFOLDERS.
 * 3. A folder without one is private to its parent folder: only files below that parent import from it.
 *
 * An argument names another checkout to read.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Which packages of ours each tree may import, by package name. Every package and every example must be listed; other trees, such as
 * conformance, may import anything.
 */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // The script that makes built-in kinds; its own tree, because it uses the library as a user does.
  "packages/pintle/generator": ["pintle"],
  "packages/pintle": [],
  "packages/cluster": ["pintle"],
  "packages/lifecycle": ["pintle", "@pintle/cluster"],
  "packages/console": ["pintle"],
  "packages/cli": ["pintle", "@pintle/cluster", "@pintle/lifecycle", "@pintle/console"],
  "packages/create-pintle": ["@pintle/cli"],
  "examples/application": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/cronjob": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/etcd": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/imoocpod": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/memcached": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/pod-policy": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/postgres": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/tenant": ["pintle", "@pintle/cluster", "@pintle/cli"],
  "examples/website": ["pintle", "@pintle/cluster", "@pintle/cli"],
};
const OURS = /^(pintle|create-pintle|@pintle\/[^/]+|conformance|bench)(\/|$)/;

/** Inside a package: which folders each folder of `src` may import. A folder that is not listed may import none. Files directly in `src` may import every folder. */
const FOLDERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "packages/pintle": {
    errors: [],
    memoize: [],
    process: [],
    loopback: [],
    "private-file": [],
    text: [],
    json: ["errors"],
    "go-format": ["json"],
    clock: ["errors"],
    kinds: ["json", "errors"],
    selectors: ["text", "kinds", "errors"],
    client: ["recorder", "telemetry", "kinds", "clock", "json", "text", "errors"],
    queue: ["clock", "errors"],
    recorder: ["clock", "json"],
    telemetry: [],
    tls: ["clock", "errors"],
    merge: ["text", "go-format", "memoize", "kinds", "json", "errors"],
    resource: ["merge", "client", "kinds", "json", "errors"],
    definitions: [],
    fields: ["definitions", "memoize", "resource", "kinds", "errors"],
    cache: ["queue", "merge", "client", "kinds", "selectors", "clock", "json", "errors"],
    webhook: ["telemetry", "cache", "queue", "merge", "resource", "client", "kinds", "tls", "clock", "json", "text", "errors"],
    controller: [
      "memoize",
      "telemetry",
      "recorder",
      "cache",
      "queue",
      "merge",
      "resource",
      "client",
      "kinds",
      "selectors",
      "clock",
      "json",
      "errors",
    ],
    metrics: ["controller", "telemetry", "clock"],
    testing: ["recorder", "controller", "cache", "queue", "merge", "resource", "client", "kinds", "selectors", "clock", "json", "errors"],
    manager: [
      ...[
        "metrics",
        "recorder",
        "telemetry",
        "controller",
        "webhook",
        "cache",
        "queue",
        "merge",
        "resource",
        "client",
        "kinds",
        "tls",
        "loopback",
        "clock",
        "json",
      ],
      "errors",
    ],
  },
  "packages/cli": {
    command: [],
    "legacy-commands": [],
    process: ["command"],
    scaffold: [],
    project: ["command"],
    upgrade: ["scaffold"],
    manifests: ["project", "command"],
    chart: ["manifests", "project"],
    "supply-chain": ["image", "project", "command"],
    "olm-bundle": ["image", "manifests", "project", "command"],
    checks: ["project"],
    "target-cluster": ["project", "command"],
    image: ["project", "command"],
    "local-cluster": ["command"],
    dev: ["target-cluster", "manifests", "project", "command"],
    console: ["target-cluster", "manifests", "project", "command"],
    commands: [
      ...["command", "process", "console", "dev", "local-cluster", "image", "target-cluster", "checks", "chart", "manifests", "project"],
      ...["scaffold", "upgrade", "olm-bundle", "supply-chain"],
    ],
  },
  "packages/console": {
    source: [],
    objects: ["source"],
    facts: ["objects", "source"],
    routes: ["facts", "objects", "source"],
    server: ["routes", "facts", "objects", "source"],
    production: ["server", "routes", "facts", "objects", "source", "files"],
    files: [],
    page: [],
  },
  "packages/lifecycle": {
    versions: [],
    yaml: [],
    "go-types": ["versions"],
    fbc: ["go-types", "yaml", "versions"],
    bundle: ["go-types", "yaml"],
    render: ["bundle", "go-types"],
    safety: ["go-types"],
    resolve: ["fbc", "versions"],
    image: [],
    catalog: ["fbc", "bundle", "go-types", "yaml", "versions"],
    source: ["bundle", "fbc", "image", "catalog"],
    serve: ["fbc"],
    policy: [],
    manager: ["bundle", "fbc", "image", "policy", "render", "resolve", "safety", "serve", "signing", "source", "versions"],
    program: ["image", "manager", "serve"],
    migrate: [],
    setup: ["manager"],
    scorecard: ["bundle", "validate", "yaml"],
    signing: ["image"],
    sbom: [],
    validate: ["bundle", "fbc", "go-types", "versions", "yaml"],
  },
  "packages/cluster": {
    status: [],
    "folder-lock": [],
    turns: [],
    store: ["codec", "folder-lock"],
    codec: ["turns"],
    apply: ["status"],
    schema: ["status"],
    api: ["apply", "schema", "codec", "store", "status", "turns"],
    admission: ["api", "apply", "schema", "codec", "store", "status"],
    builtin: ["admission", "api", "schema", "codec", "store", "status"],
    access: ["api", "store", "status"],
    flowcontrol: ["api", "store", "turns"],
    openapi: ["api", "builtin", "schema", "turns"],
    bootstrap: ["api", "store", "status"],
    controllers: ["api", "admission", "builtin"],
    node: ["controllers", "api", "builtin", "folder-lock", "status"],
    streams: ["node", "api", "store", "status"],
    metrics: ["api", "store", "flowcontrol"],
    interceptors: ["api", "codec", "metrics", "status"],
    testing: ["interceptors"],
    recorder: ["controllers", "interceptors", "store"],
    trace: ["recorder", "store"],
    dropin: ["builtin", "api", "codec", "store", "cluster", "interceptors", "status"],
    cluster: [
      "access",
      "admission",
      "api",
      "bootstrap",
      "builtin",
      "controllers",
      "flowcontrol",
      "interceptors",
      "metrics",
      "node",
      "openapi",
      "recorder",
      "schema",
      "store",
      "streams",
      "testing",
      "trace",
    ],
    live: ["admission", "builtin", "cluster", "store"],
    // For the tests of users: it imports only public entry points.
    vitest: ["schema"],
  },
};

/**
 * Sub-folders whose `index.ts` other top-level folders may import too. The index.ts above them has other readers: that of `schema` is a public
 * entry point, and those of `store` and `kinds` would load what most importers do not need.
 */
const PUBLIC_SUBFOLDERS: readonly string[] = [
  "packages/cluster/src/schema/cel",
  "packages/cluster/src/schema/crd",
  "packages/cluster/src/schema/decode",
  "packages/cluster/src/schema/openapi",
  "packages/cluster/src/schema/printer-columns",
  "packages/cluster/src/schema/validation-rules",
  "packages/cluster/src/store/replication",
];
/** Each generated group-version of the built-in kinds is an entry point. */
const GENERATED_KINDS = /^packages\/pintle\/src\/kinds\/generated\/[^/]+\/[^/]+\.ts$/;

/** Whether a file is what its top-level folder offers to others. */
function isEntryPoint(target: string, folder: string): boolean {
  if (target === `${folder}/index.ts` || GENERATED_KINDS.test(target)) return true;
  return path.posix.basename(target) === "index.ts" && PUBLIC_SUBFOLDERS.includes(path.posix.dirname(target));
}

/** Tests that measure or fuzz functions which receive input from other programs, however private these functions are. */
const MEASURES_PRIVATE_FUNCTIONS = /^packages\/(cluster\/test\/hostile\/(scaling|fuzz)|pintle\/test\/hostile)\//;

/** Returns why `file` may not import `specifier`, or undefined if it may. Paths are relative to the repository, with `/`. */
export function findViolation(file: string, specifier: string, hasIndex: (folder: string) => boolean = () => true): string | undefined {
  const tree = Object.keys(PACKAGES).find((p) => file.startsWith(`${p}/`));
  if (tree === undefined) return undefined;
  if (!specifier.startsWith(".")) {
    const name = OURS.exec(specifier)?.[1];
    if (name === undefined || PACKAGES[tree]?.includes(name)) return undefined;
    return `${tree} may not import ${name}`;
  }
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  if (!target.startsWith(`${tree}/`)) return `a relative import may not leave ${tree}: import the package by its name`;
  const [from, to] = [locateFile(tree, file), locateFile(tree, target)];
  if (to?.part !== "src" || MEASURES_PRIVATE_FUNCTIONS.test(file)) return undefined;
  if (from?.folder === to.folder) return from.part === "test" ? undefined : findPrivateFolder(file, target, hasIndex);
  if (!isEntryPoint(target, `${tree}/src/${to.folder}`))
    return `${to.folder}/${to.rest} is private to ${to.folder}: import ${to.folder}/index.ts`;
  // Tests may combine any folders, as users do, through their entry points.
  const folders = FOLDERS[tree];
  if (folders === undefined || from?.part !== "src" || /\.test(-d)?\.ts$/.test(file)) return undefined;
  const allowed = folders[from.folder];
  if (allowed === undefined) return `the folder ${from.folder} is not listed in FOLDERS of scripts/boundaries.ts`;
  if (allowed.includes(to.folder)) return undefined;
  return `${from.folder} may not import ${to.folder} (allowed: ${allowed.join(", ") || "nothing"})`;
}

/** Rules 2 and 3 below a top-level folder: why `file` may not import `target` of the same top-level folder. */
function findPrivateFolder(file: string, target: string, hasIndex: (folder: string) => boolean): string | undefined {
  // Tests beside the sources may import what they test.
  if (/\.test(-d)?\.ts$/.test(file)) return undefined;
  const folders = path.posix.dirname(target).split("/");
  let outside = 0;
  for (let depth = 1; depth <= folders.length; depth++) {
    const folder = folders.slice(0, depth).join("/");
    if (file.startsWith(`${folder}/`)) continue;
    outside++;
    if (hasIndex(folder))
      return target === `${folder}/index.ts` ? undefined : `${target} is private to ${folder}: import ${folder}/index.ts`;
    if (outside > 1) return `${folder} has no index.ts and is private to ${path.posix.dirname(folder)}`;
  }
  return undefined;
}

interface SourceLocation {
  readonly part: "src" | "test";
  readonly folder: string;
  readonly rest: string;
}

/**
 * `packages/pintle/src/cache/store.ts` -> { part: "src", folder: "cache", rest: "store.ts" }; undefined outside a folder.
 * The tests of a folder see what is private to it, also from `packages/pintle/test/cache/`.
 */
function locateFile(tree: string, file: string): SourceLocation | undefined {
  const [, part, folder, rest] = /^(src|test)\/([^/]+)\/(.+)$/.exec(file.slice(tree.length + 1)) ?? [];
  return folder !== undefined && rest !== undefined ? { part: part as SourceLocation["part"], folder, rest } : undefined;
}

/** Every module specifier that a source text imports, statically or dynamically. */
export function listImports(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/[^\n]*/g, "");
  const found = code.matchAll(/(?:^|[\s;])(?:import|export)\s(?:[^"';]*?\sfrom\s*)?["']([^"'\n]+)["']|\bimport\(\s*["']([^"'\n]+)["']/g);
  return [...found].map((m) => (m[1] ?? m[2]) as string).filter((specifier) => !specifier.includes("${"));
}

/** Packages and examples for which no rule exists. */
function listUnlistedPackages(root: string): string[] {
  return ["packages", "examples"]
    .filter((parent) => existsSync(path.join(root, parent)))
    .flatMap((parent) => readdirSync(path.join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((tree) => existsSync(path.join(root, tree, "package.json")) && PACKAGES[tree] === undefined);
}

function main(root: string): void {
  let files = 0;
  const indexes = new Map<string, boolean>();
  const hasIndex = (folder: string) => {
    let found = indexes.get(folder);
    if (found === undefined) {
      found = existsSync(path.join(root, folder, "index.ts"));
      indexes.set(folder, found);
    }
    return found;
  };
  const problems = listUnlistedPackages(root).map((tree) => `${tree}: not listed in PACKAGES of scripts/boundaries.ts`);
  for (const tree of Object.keys(PACKAGES).filter((t) => existsSync(path.join(root, t)))) {
    for (const entry of readdirSync(path.join(root, tree), { recursive: true, encoding: "utf8" })) {
      const file = `${tree}/${entry.replaceAll(path.sep, "/")}`;
      if (!/\.tsx?$/.test(file) || /\/(node_modules|dist)\//.test(file)) continue;
      files++;
      for (const specifier of listImports(readFileSync(path.join(root, file), "utf8"))) {
        const why = findViolation(file, specifier, hasIndex);
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
