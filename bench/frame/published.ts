import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));
const source = path.join(root, "packages/pintle");

/**
 * A folder with pintle as it is published and the scripts that use it, each compiled to `<name>.js`: no loader, no sources.
 * Whoever asks removes it.
 */
export async function published(scripts: readonly string[]): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-bench-"));
  const library = path.join(folder, "node_modules/pintle");
  mkdirSync(library, { recursive: true });
  const text = readFileSync(path.join(source, "package.json"), "utf8");
  const manifest = JSON.parse(text) as {
    readonly exports: Readonly<Record<string, { readonly "@pintle/source": string }>>;
    readonly dependencies: Readonly<Record<string, string>>;
  };
  // The same settings as `npm run build`, which also removes what others may be using just now.
  const common = { bundle: true, format: "esm", platform: "node", target: "node20.19", packages: "external", logLevel: "warning" } as const;
  await build({
    ...common,
    entryPoints: Object.values(manifest.exports).flatMap((entry) => matching(entry["@pintle/source"])),
    outdir: path.join(library, "dist"),
    outbase: path.join(source, "src"),
    splitting: true,
    chunkNames: "shared/[hash]",
  });
  writeFileSync(path.join(library, "package.json"), text);
  for (const name of Object.keys(manifest.dependencies))
    symlinkSync(path.join(root, "node_modules", name), path.join(folder, "node_modules", name));
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await build({ ...common, entryPoints: [...scripts], outdir: folder });
  return folder;
}

/** A `*` stands for any path, as it does in `exports`. */
function matching(file: string): string[] {
  const [before = "", after] = file.split("*");
  if (after === undefined) return [path.join(source, file)];
  const base = path.join(source, before);
  return readdirSync(base, { recursive: true, encoding: "utf8" })
    .filter((found) => found.endsWith(after) && !/\.test(-d)?\.ts$/.test(found))
    .map((found) => path.join(base, found));
}
