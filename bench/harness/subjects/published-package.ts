import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const source = path.join(root, "packages/pintle");

/**
 * Creates a folder with pintle as it is published and with `scripts`, each compiled to `<name>.js`, so that no TypeScript loader runs in the
 * measured process. The caller removes the folder.
 */
export async function packPublished(scripts: readonly string[]): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-"));
  const library = path.join(folder, "node_modules/pintle");
  mkdirSync(library, { recursive: true });
  const manifestText = readFileSync(path.join(source, "package.json"), "utf8");
  const manifest = JSON.parse(manifestText) as {
    readonly exports: Readonly<Record<string, { readonly "@pintle/source": string }>>;
    readonly dependencies: Readonly<Record<string, string>>;
  };
  // The settings of `npm run build`. Not `npm run build` itself: it replaces dist folders that may be in use.
  const common = { bundle: true, format: "esm", platform: "node", target: "node20.19", packages: "external", logLevel: "warning" } as const;
  await build({
    ...common,
    entryPoints: Object.values(manifest.exports).flatMap((entry) => expandEntryPoint(entry["@pintle/source"])),
    outdir: path.join(library, "dist"),
    outbase: path.join(source, "src"),
    splitting: true,
    chunkNames: "shared/[hash]",
  });
  writeFileSync(path.join(library, "package.json"), manifestText);
  for (const name of Object.keys(manifest.dependencies))
    symlinkSync(path.join(root, "node_modules", name), path.join(folder, "node_modules", name));
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await build({ ...common, entryPoints: [...scripts], outdir: folder });
  return folder;
}

/** Expands `*` to any path, as in `exports`. */
function expandEntryPoint(file: string): string[] {
  const [before = "", after] = file.split("*");
  if (after === undefined) return [path.join(source, file)];
  const base = path.join(source, before);
  return readdirSync(base, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(after) && !/\.test(-d)?\.ts$/.test(name))
    .map((name) => path.join(base, name));
}
