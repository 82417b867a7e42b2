import { DEPENDENCIES, IGNORED, SCRIPTS } from "./project.ts";

export interface Upgrade {
  readonly files: ReadonlyMap<string, string>;
  /** One line for each thing that changes: "package.json: pintle ^0.1.0 -> ^0.2.0". */
  readonly changes: readonly string[];
  /** What nobody but the author can decide. */
  readonly byHand: readonly string[];
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly [field: string]: unknown;
}

/** What a project lacks of what this version of Pintle gives a new one. A string: why that cannot be told. */
export function upgraded(read: (file: string) => string | undefined, pintle: string): Upgrade | string {
  const text = read("package.json");
  if (text === undefined) return "there is no package.json here";
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch (error) {
    return `package.json is not JSON: ${(error as Error).message}`;
  }
  if (manifest.dependencies?.["pintle"] === undefined) return "package.json does not depend on pintle: this is no operator's project";
  const files = new Map<string, string>();
  const changes: string[] = [];
  const byHand: string[] = [];
  const moved = packageOf(manifest, pintle, changes, byHand);
  if (moved !== manifest) files.set("package.json", `${JSON.stringify(moved, null, /^\{\n( +|\t)/.exec(text)?.[1] ?? "  ")}\n`);
  ignored(read(".gitignore"), files, changes);
  compiler(read("tsconfig.json"), byHand);
  configured(read("pintle.config.ts"), byHand);
  return { files, changes, byHand };
}

function packageOf(manifest: Manifest, pintle: string, changes: string[], byHand: string[]): Manifest {
  const { dependencies: own, devDependencies: others } = DEPENDENCIES(pintle);
  const place = (name: string) => (manifest.dependencies?.[name] === undefined ? "devDependencies" : "dependencies");
  let result = manifest;
  for (const [name, range] of Object.entries({ ...own, ...others })) {
    const where = name in own ? "dependencies" : place(name);
    const had = manifest[where] as Readonly<Record<string, string>> | undefined;
    const ours = /^(pintle|@pintle\/.+)$/.test(name);
    if (had?.[name] === range) continue;
    if (had?.[name] === undefined ? !ours : !ours && newest(had[name]) >= newest(range)) continue;
    if (had?.[name] !== undefined && !/^[\^~]?\d/.test(had[name])) {
      byHand.push(`package.json: ${name} is ${had[name]}, which is your own choice: ${range} is what goes with Pintle ${pintle}`);
      continue;
    }
    changes.push(`package.json: ${name} ${had?.[name] ?? "(none)"} -> ${range}`);
    result = { ...result, [where]: { ...(result[where] as object | undefined), [name]: range } };
  }
  const missing = Object.entries(SCRIPTS).filter(([name]) => manifest.scripts?.[name] === undefined);
  if (missing.length > 0) {
    changes.push(...missing.map(([name, script]) => `package.json: script ${name}: ${script}`));
    result = { ...result, scripts: { ...result.scripts, ...Object.fromEntries(missing) } };
  }
  if (manifest.type !== "module") byHand.push('package.json: set "type": "module", and make what uses require() import instead');
  return result;
}

/** "^20.19.0" -> 20019000000, enough to tell which of two ranges begins later. */
function newest(range: string): number {
  const [major = 0, minor = 0, patch = 0] = (/\d+(\.\d+)*/.exec(range)?.[0] ?? "0").split(".").map(Number);
  return (major * 1000 + minor) * 1000 + patch;
}

function ignored(text: string | undefined, files: Map<string, string>, changes: string[]): void {
  const lines = (text ?? "").split("\n").map((line) => line.trim().replace(/^\//, "").replace(/\/$/, ""));
  const covered = (each: string) => lines.some((line) => line !== "" && `${each}`.startsWith(`${line}/`));
  const missing = IGNORED.filter((each) => !covered(each));
  if (missing.length === 0) return;
  files.set(".gitignore", `${text === undefined || text === "" ? "" : `${text.trimEnd()}\n`}${missing.join("\n")}\n`);
  changes.push(`.gitignore: ${missing.join(", ")}`);
}

function compiler(text: string | undefined, byHand: string[]): void {
  if (text === undefined) return;
  for (const setting of ["strict", "allowImportingTsExtensions"]) {
    if (!new RegExp(`"${setting}":\\s*true`).test(text)) byHand.push(`tsconfig.json: set "${setting}": true`);
  }
}

function configured(text: string | undefined, byHand: string[]): void {
  if (text === undefined) byHand.push("pintle.config.ts is not there: write one when the manifests should say more than the code does");
}
