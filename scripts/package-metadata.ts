/**
 * What every published package.json says about the project, written from one place. `npm run package-metadata` checks it and is part of
 * `npm run check`; `-- --write` writes it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The address of the repository: a placeholder until the project has its final home. Change it here and run `-- --write`. */
const REPOSITORY = "https://github.com/pintle-dev/pintle";

const KEYWORDS = ["kubernetes", "operator", "controller", "typescript", "crd", "custom-resource"];
/** By folder below packages/: keywords beyond those that all packages share. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  pintle: ["reconcile", "webhook", "rbac", "kubernetes-client"],
  cluster: ["apiserver", "control-plane", "envtest", "testing"],
  lifecycle: ["olm", "operator-lifecycle-manager", "bundle", "catalog"],
  console: ["console", "devtools", "time-travel"],
  cli: ["kubebuilder", "operator-sdk", "scaffold", "oci"],
  "create-pintle": ["create", "scaffold"],
};

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const write = process.argv.includes("--write");
let outdated = 0;
for (const [folder, keywords] of Object.entries(PACKAGES)) {
  const file = path.join(root, "packages", folder, "package.json");
  const before = readFileSync(file, "utf8");
  const { name, version, description, license, ...rest } = JSON.parse(before) as Record<string, unknown>;
  const metadata = {
    license,
    homepage: `${REPOSITORY}#readme`,
    bugs: { url: `${REPOSITORY}/issues` },
    repository: { type: "git", url: `git+${REPOSITORY}.git`, directory: `packages/${folder}` },
    keywords: [...KEYWORDS, ...keywords],
  };
  const after = `${JSON.stringify({ name, version, description, ...metadata, ...omit(rest, Object.keys(metadata)) }, null, 2)}\n`;
  if (after === before) continue;
  if (write) writeFileSync(file, after);
  else console.error(`packages/${folder}/package.json is out of date. Run: npm run package-metadata -- --write`);
  outdated++;
}
console.log(`package metadata: ${Object.keys(PACKAGES).length} packages, ${outdated} ${write ? "written" : "out of date"}`);
process.exitCode = !write && outdated > 0 ? 1 : 0;

function omit(value: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}
