import { GITIGNORE_ENTRIES, listProjectDependencies, PACKAGE_SCRIPTS } from "../scaffold/index.ts";

/** The changes of a project's package.json and settings. */
export interface ProjectUpgrade {
  /** New contents, keyed by path. */
  readonly files: ReadonlyMap<string, string>;
  /** One line per change: "package.json: pintle ^0.1.0 -> ^0.2.0". */
  readonly changes: readonly string[];
  /** Changes that the user must make, one line each. */
  readonly manual: readonly string[];
}

interface PackageJson {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly [field: string]: unknown;
}

/** Compares a project with the files that this version of Pintle scaffolds. A string result is an error message. */
export function planUpgrade(read: (file: string) => string | undefined, pintle: string): ProjectUpgrade | string {
  const text = read("package.json");
  if (text === undefined) return "no package.json found";
  let manifest: PackageJson;
  try {
    manifest = JSON.parse(text) as PackageJson;
  } catch (error) {
    return `package.json is not valid JSON: ${(error as Error).message}`;
  }
  if (manifest.dependencies?.["pintle"] === undefined) return "package.json does not depend on pintle: this is not an operator project";
  const files = new Map<string, string>();
  const changes: string[] = [];
  const manual: string[] = [];
  const updated = upgradePackageJson(manifest, pintle, changes, manual);
  if (updated !== manifest) files.set("package.json", `${JSON.stringify(updated, null, /^\{\n( +|\t)/.exec(text)?.[1] ?? "  ")}\n`);
  upgradeGitignore(read(".gitignore"), files, changes);
  checkTsconfig(read("tsconfig.json"), manual);
  checkConfig(read("pintle.config.ts"), manual);
  return { files, changes, manual };
}

function upgradePackageJson(manifest: PackageJson, pintle: string, changes: string[], manual: string[]): PackageJson {
  const { dependencies: own, devDependencies: others } = listProjectDependencies(pintle);
  const sectionOf = (name: string) => (manifest.dependencies?.[name] === undefined ? "devDependencies" : "dependencies");
  let result = manifest;
  for (const [name, range] of Object.entries({ ...own, ...others })) {
    const section = name in own ? "dependencies" : sectionOf(name);
    const current = manifest[section] as Readonly<Record<string, string>> | undefined;
    const isPintlePackage = /^(pintle|@pintle\/.+)$/.test(name);
    if (current?.[name] === range) continue;
    if (current?.[name] === undefined ? !isPintlePackage : !isPintlePackage && rangeStart(current[name]) >= rangeStart(range)) continue;
    if (current?.[name] !== undefined && !/^[\^~]?\d/.test(current[name])) {
      manual.push(`package.json: ${name} is ${current[name]}; Pintle ${pintle} is tested with ${range}`);
      continue;
    }
    changes.push(`package.json: ${name} ${current?.[name] ?? "(none)"} -> ${range}`);
    result = { ...result, [section]: { ...(result[section] as object | undefined), [name]: range } };
  }
  const missing = Object.entries(PACKAGE_SCRIPTS).filter(([name]) => manifest.scripts?.[name] === undefined);
  if (missing.length > 0) {
    changes.push(...missing.map(([name, script]) => `package.json: script ${name}: ${script}`));
    result = { ...result, scripts: { ...result.scripts, ...Object.fromEntries(missing) } };
  }
  if (manifest.type !== "module") manual.push('package.json: set "type": "module" and replace require() with import');
  return result;
}

/** Maps "^20.19.0" to 20019000000, so that the lower bounds of two ranges can be compared. */
function rangeStart(range: string): number {
  const [major = 0, minor = 0, patch = 0] = (/\d+(\.\d+)*/.exec(range)?.[0] ?? "0").split(".").map(Number);
  return (major * 1000 + minor) * 1000 + patch;
}

function upgradeGitignore(text: string | undefined, files: Map<string, string>, changes: string[]): void {
  const lines = (text ?? "").split("\n").map((line) => line.trim().replace(/^\//, "").replace(/\/$/, ""));
  const isCovered = (each: string) => lines.some((line) => line !== "" && `${each}`.startsWith(`${line}/`));
  const missing = GITIGNORE_ENTRIES.filter((each) => !isCovered(each));
  if (missing.length === 0) return;
  files.set(".gitignore", `${text === undefined || text === "" ? "" : `${text.trimEnd()}\n`}${missing.join("\n")}\n`);
  changes.push(`.gitignore: ${missing.join(", ")}`);
}

function checkTsconfig(text: string | undefined, manual: string[]): void {
  if (text === undefined) return;
  for (const setting of ["strict", "allowImportingTsExtensions"]) {
    if (!new RegExp(`"${setting}":\\s*true`).test(text)) manual.push(`tsconfig.json: set "${setting}": true`);
  }
}

function checkConfig(text: string | undefined, manual: string[]): void {
  if (text === undefined) manual.push("pintle.config.ts: create it to configure the generated manifests");
}
