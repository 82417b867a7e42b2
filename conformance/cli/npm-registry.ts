import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { npm, packPackages } from "../../scripts/packed-packages.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
}

/** Serves the packages as `npm pack` builds them on loopback and redirects all others to the configured registry. */
export async function startNpmRegistry(): Promise<NpmRegistry> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-npm-"));
  const elsewhere = npm(ROOT, "config", "get", "registry").trim();
  const packed = new Map([...(await packPackages(folder)).values()].map((each) => [each.name, each]));
  const server = createServer((request, response) => {
    const requested = decodeURIComponent((request.url ?? "/").slice(1));
    const one = packed.get(requested);
    const file = [...packed.values()].find(({ filename }) => requested === `-/${filename}`);
    if (file !== undefined) return void response.end(readFileSync(path.join(folder, file.filename)));
    if (one === undefined) return void response.writeHead(302, { location: new URL(request.url ?? "/", elsewhere).href }).end();
    const manifest = JSON.parse(readFileSync(path.join(ROOT, "packages", folderOf(one.name), "package.json"), "utf8")) as object;
    const dist = { integrity: one.integrity, shasum: one.shasum, tarball: `${url}/-/${one.filename}` };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        name: one.name,
        "dist-tags": { latest: one.version },
        versions: { [one.version]: { ...manifest, dist } },
      }),
    );
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}

const folderOf = (name: string) => name.replace("@pintle/", "");
