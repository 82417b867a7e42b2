import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createPlainServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRequestGuard, isLoopbackHost } from "pintle/internal/loopback";
import {
  type Command,
  CommandError,
  type Io,
  OUTPUT_DESCRIPTION,
  OUTPUT_OPTION,
  outputFormatter,
  type ParsedArguments,
  withProgress,
} from "../../command/index.ts";
import { CATALOG_FOLDER } from "./catalog-folder.ts";
import { REGISTRY_DESCRIPTION, REGISTRY_OPTION, withCatalogFolder } from "./catalog-source.ts";

export const catalogServe: Command = {
  name: "catalog serve",
  summary: "Serve catalogs with the HTTP API of catalogd, until Ctrl-C.",
  usage: "[NAME=]CATALOG... [--port PORT] [--address ADDRESS] [--tls-cert FILE --tls-key FILE] [--insecure-registry] [--output json|yaml]",
  options: {
    port: { type: "string" },
    address: { type: "string" },
    "tls-cert": { type: "string" },
    "tls-key": { type: "string" },
    ...REGISTRY_OPTION,
    ...OUTPUT_OPTION,
  },
  optionDescriptions: {
    port: "the port (default: 8083; 0 for a free one)",
    address: "the address to listen on; one other than this machine's needs TLS (default: 127.0.0.1)",
    "tls-cert": "file with the certificate",
    "tls-key": "file with the key of the certificate",
    ...REGISTRY_DESCRIPTION,
    ...OUTPUT_DESCRIPTION,
  },
  examples: [
    "pintle catalog serve catalog",
    "pintle catalog serve mine=catalog hub=ghcr.io/me/catalog:v1 --port 0",
    "curl http://127.0.0.1:8083/catalogs/catalog/api/v1/metas?schema=olm.package",
  ],
  maxPositionals: 100,
  async run(args, io) {
    const output = outputFormatter(args);
    const sources = (args.positionals.length === 0 ? [CATALOG_FOLDER] : args.positionals).map(parseSource);
    const twice = sources.find(({ name }, i) => sources.findIndex((each) => each.name === name) !== i);
    if (twice !== undefined) throw new CommandError("PINTLE7002", `two catalogs are named ${twice.name}: name them with NAME=CATALOG`, 2);
    const { CatalogStore, createCatalogHandler } = await import("@pintle/lifecycle/internal/serve");
    const folder = mkdtempSync(path.join(tmpdir(), "pintle-serve-"));
    try {
      const store = new CatalogStore(folder);
      for (const { name, source } of sources) {
        await withProgress(
          io,
          `reading ${source}`,
          withCatalogFolder(source, args, io, async (catalog) => {
            const { readCatalogMetas } = await import("@pintle/lifecycle");
            await store.replace(name, metasOf(readCatalogMetas(catalog)));
          }),
        );
      }
      const handler = createCatalogHandler(store, { onError: (error) => io.err(`error: ${(error as Error).message}\n`) });
      await using server = await listen(handler, args);
      const catalogs = sources.map(({ name, source }) => ({ name, source, url: `${server.url}/catalogs/${name}` }));
      if (output !== undefined) io.out(output({ url: server.url, catalogs }));
      else for (const { name, url } of catalogs) io.out(`${name}  ${url}/api/v1/all\n`);
      await stopped(io);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function* metasOf<T>(located: Iterable<{ readonly located: { readonly meta: T } }>): Generator<T> {
  for (const each of located) yield each.located.meta;
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** "mine=ghcr.io/me/catalog:v1"; without a name, the last part of the path is one. */
function parseSource(text: string): { readonly name: string; readonly source: string } {
  const equals = text.indexOf("=");
  const source = equals === -1 ? text : text.slice(equals + 1);
  const last =
    source
      .replace(/^(oci|docker-archive|docker):(\/\/)?/, "")
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .at(-1) ?? "";
  const name = equals === -1 ? (last.split(/[:@]/)[0] ?? "").toLowerCase().replaceAll("_", "-") : text.slice(0, equals);
  if (!NAME.test(name) || name.length > 253) {
    throw new CommandError(
      "PINTLE7002",
      `"${name}" is not a name for a catalog: name it with NAME=CATALOG, in lower case letters, digits, - and .`,
      2,
    );
  }
  return { name, source };
}

async function listen(handler: RequestListener, { values }: ParsedArguments): Promise<AsyncDisposable & { readonly url: string }> {
  const host = (values["address"] as string | undefined) ?? "127.0.0.1";
  const port = Number(values["port"] ?? 8083);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new CommandError("PINTLE7005", `invalid --port "${values["port"]}"`, 2);
  const [cert, key] = [values["tls-cert"], values["tls-key"]] as (string | undefined)[];
  if ((cert === undefined) !== (key === undefined)) throw new CommandError("PINTLE7002", "--tls-cert and --tls-key go together", 2);
  if (cert === undefined && !isLoopbackHost(host)) {
    throw new CommandError("PINTLE7002", `${host} is reachable from other machines: use --tls-cert and --tls-key`, 2);
  }
  const guard = createRequestGuard({ host });
  const guarded: RequestListener = (request, response) => {
    const refusal = guard(request);
    if (refusal === undefined) return handler(request, response);
    response.writeHead(refusal.status, { "content-type": "text/plain; charset=utf-8" }).end(`${refusal.message}\n`);
  };
  const server =
    cert === undefined || key === undefined
      ? createPlainServer(guarded)
      : createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, handler);
  server.requestTimeout = 5_000;
  server.listen(port, host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      "PINTLE7089",
      `cannot listen on ${host}:${port}: ${error.code ?? error.message}. Choose another one with --port`,
    );
  });
  const { port: actual } = server.address() as AddressInfo;
  const shown = host.includes(":") ? `[${host}]` : host;
  return {
    url: `${cert === undefined ? "http" : "https"}://${shown}:${actual}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function stopped({ signal }: Pick<Io, "signal">): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
