import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NAMES = ["pintle", "cluster", "cli", "create-pintle"];

interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly integrity: string;
  readonly shasum: string;
}

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
}

/** As if our packages had been published: what `npm pack` makes of them on loopback, everything else where it always is. */
export async function npmRegistry(): Promise<NpmRegistry> {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-npm-"));
  const npm = (cwd: string, ...words: string[]) =>
    execFileSync("npm", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 26 });
  const elsewhere = npm(ROOT, "config", "get", "registry").trim();
  npm(ROOT, "run", "build");
  const packed = new Map<string, Packed>();
  for (const name of NAMES) {
    const text = npm(path.join(ROOT, "packages", name), "pack", "--json", "--ignore-scripts", "--pack-destination", folder);
    const [one] = JSON.parse(text) as [Packed];
    packed.set(one.name, one);
  }
  const server = createServer((request, response) => {
    const asked = decodeURIComponent((request.url ?? "/").slice(1));
    const one = packed.get(asked);
    const file = [...packed.values()].find(({ filename }) => asked === `-/${filename}`);
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
