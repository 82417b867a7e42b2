/** The page, built from its sources if they changed since the last time. Only in this repository: a published package has the built page. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";
import type { EncodedPage } from "./index.ts";

const folder = path.resolve(fileURLToPath(new URL("../..", import.meta.url)));
const root = path.resolve(folder, "../..");
const cache = path.join(root, "node_modules/.cache/pintle-console");
/** How many builds are kept: those of some branches. */
const MAX_CACHED = 4;

/** Builds the page with Vite, or returns the build of the same sources. */
export async function buildPage(): Promise<EncodedPage> {
  const file = path.join(cache, `${digestOfSources()}.json`);
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true });
    const scratch = mkdtempSync(path.join(cache, "build-"));
    try {
      const vite = path.join(root, "node_modules/vite/bin/vite.js");
      await promisify(execFile)(process.execPath, [vite, "build", "--outDir", path.join(scratch, "page")], {
        cwd: folder,
        // A test runner sets others, which would build another page.
        env: { ...process.env, NODE_ENV: "production", NODE_OPTIONS: "" },
      });
      writeFileSync(path.join(scratch, "page.json"), JSON.stringify(encodeFolder(path.join(scratch, "page"))));
      // Of several processes that build at the same time, the last one replaces the file with the same content.
      renameSync(path.join(scratch, "page.json"), file);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
    removeOldBuilds();
  }
  return JSON.parse(readFileSync(file, "utf8")) as EncodedPage;
}

/** Whatever the page is built from: its sources, the protocol, the configuration, and the versions of its libraries. */
function digestOfSources(): string {
  const hash = createHash("sha256");
  for (const file of [
    ...listFiles(path.join(folder, "src/page")),
    path.join(folder, "src/protocol.ts"),
    path.join(folder, "vite.config.ts"),
    path.join(root, "package-lock.json"),
  ])
    hash.update(path.relative(root, file)).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex").slice(0, 16);
}

function listFiles(below: string): readonly string[] {
  return readdirSync(below, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function encodeFolder(below: string): EncodedPage {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  return Object.fromEntries(
    listFiles(below).map((file) => [
      path.relative(below, file).replaceAll(path.sep, "/"),
      brotliCompressSync(readFileSync(file), { params }).toString("base64"),
    ]),
  );
}

function removeOldBuilds(): void {
  const builds = readdirSync(cache, { withFileTypes: true }).filter((entry) => entry.isFile() && entry.name.endsWith(".json"));
  const byAge = builds.map(({ name }) => path.join(cache, name)).sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const file of byAge.slice(MAX_CACHED)) rmSync(file, { force: true });
}

export const page: EncodedPage = await buildPage();
