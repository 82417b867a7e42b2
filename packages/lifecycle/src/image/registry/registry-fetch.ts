import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { rootCertificates } from "node:tls";
import { PintleError } from "pintle/internal/errors";
import type { Environment } from "./credentials.ts";

type Dispatcher = { readonly constructor: new (options: object) => Dispatcher };

/** Where Node keeps the HTTP client behind `fetch`. It offers no other way to add authorities to those of the process. */
const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const dispatchers = new Map<string, Promise<Dispatcher>>();

/** Like `fetch`, but also trusts the authorities that `readRegistryAuthorities` finds for the host. */
export async function fetchFromRegistry(url: URL, init: RequestInit, env: Environment = process.env): Promise<Response> {
  const authorities = url.protocol === "https:" ? readRegistryAuthorities(url.host, env) : [];
  if (authorities.length === 0) return fetch(url, init);
  const key = authorities.join("");
  const dispatcher = dispatchers.get(key) ?? createDispatcher(authorities, env);
  dispatchers.set(key, dispatcher);
  return fetch(url, { ...init, dispatcher: await dispatcher } as unknown as RequestInit);
}

/**
 * Returns the certificates of authorities, in PEM, for a registry: of the file that SSL_CERT_FILE names, as programs in Go read it, and of the files
 * `*.crt` in `certs.d/HOST` of Docker and of Podman.
 */
export function readRegistryAuthorities(host: string, env: Environment): readonly string[] {
  const config = env["XDG_CONFIG_HOME"] || path.join(env["HOME"] || homedir(), ".config");
  const folders = ["/etc/docker", "/etc/containers", path.join(config, "containers")];
  const found = folders.flatMap((folder) => readCertificates(path.join(folder, "certs.d", host)));
  const file = env["SSL_CERT_FILE"];
  if (file === undefined || file === "") return found;
  try {
    return [...found, readFileSync(file, "utf8")];
  } catch (error) {
    throw new PintleError("PINTLE7076", `cannot read ${file}, which SSL_CERT_FILE names: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function readCertificates(folder: string): readonly string[] {
  try {
    const files = readdirSync(folder).filter((name) => name.endsWith(".crt"));
    return files.sort().map((name) => readFileSync(path.join(folder, name), "utf8"));
  } catch {
    return [];
  }
}

async function createDispatcher(authorities: readonly string[], env: Environment): Promise<Dispatcher> {
  // The first call of `fetch` creates the global one.
  await fetch("data:,");
  const known = (globalThis as Record<symbol, unknown>)[GLOBAL_DISPATCHER] as Dispatcher | undefined;
  if (known === undefined) {
    throw new PintleError(
      "PINTLE7076",
      "this version of Node takes authorities from NODE_EXTRA_CA_CERTS only: set it to the certificate file",
    );
  }
  const extra = env["NODE_EXTRA_CA_CERTS"];
  const ca = [...rootCertificates, ...(extra === undefined || extra === "" ? [] : [readFileSync(extra, "utf8")]), ...authorities];
  return new known.constructor({ connect: { ca } });
}
