import { Agent, get as getHttp } from "node:http";
import type { CatalogContent } from "@pintle/lifecycle";
import type { ClusterCatalog } from "@pintle/lifecycle/manager";
import { NotFound } from "pintle/client";
import { isLoopbackUrl } from "pintle/internal/loopback";
import { CommandError } from "../../command/index.ts";
import type { TargetCluster } from "../../target-cluster/index.ts";
import { missingManager } from "./operator-options.ts";

/** A catalog of a cluster, with the blobs of one package or of all packages, or the reason why they could not be read. */
export interface ReadCatalog {
  readonly catalog: ClusterCatalog;
  readonly content?: CatalogContent | undefined;
  readonly problem?: string | undefined;
}

/** Reads the content of the catalogs of a cluster, at the addresses that pods use, or through the proxy of the API server. */
export async function readCatalogs(cluster: TargetCluster, packageName: string | undefined, signal: AbortSignal): Promise<ReadCatalog[]> {
  const { ClusterCatalogKind } = await import("@pintle/lifecycle/manager");
  const { items } = await cluster.client.list(ClusterCatalogKind, { signal }).catch((error: unknown) => {
    throw error instanceof NotFound && error.isUnservedKind ? missingManager(cluster.description) : error;
  });
  return Promise.all(
    items.map(async (catalog): Promise<ReadCatalog> => {
      const base = catalog.status?.urls?.base;
      if (base === undefined) return { catalog, problem: describeMissing(catalog) };
      try {
        return { catalog, content: await readContent(cluster, base, packageName, signal) };
      } catch (error) {
        signal.throwIfAborted();
        return { catalog, problem: `its content cannot be read from ${base}: ${error instanceof Error ? error.message : String(error)}` };
      }
    }),
  );
}

function describeMissing({ status }: ClusterCatalog): string {
  const condition = status?.conditions?.find(({ type }) => type === "Progressing");
  return condition === undefined ? "it has not been read yet" : `it is not served: ${condition.reason}: ${condition.message}`;
}

async function readContent(
  cluster: TargetCluster,
  base: string,
  packageName: string | undefined,
  signal: AbortSignal,
): Promise<CatalogContent> {
  const { MetaReader, decodeBlob } = await import("@pintle/lifecycle/internal/fbc");
  const text = await fetchLines(cluster, `${base}/api/v1/all`, signal);
  const content = { packages: [], channels: [], bundles: [], deprecations: [], others: [] } as {
    [K in keyof CatalogContent]: CatalogContent[K][number][];
  };
  const reader = new MetaReader();
  for (const { meta } of [...reader.push(text), ...reader.end()]) {
    if (packageName !== undefined && meta.package !== packageName && !(meta.schema === "olm.package" && meta.name === packageName))
      continue;
    const { kind, blob } = decodeBlob(meta);
    if (kind === "package") content.packages.push(blob);
    else if (kind === "channel") content.channels.push(blob);
    else if (kind === "bundle") content.bundles.push(blob);
    else if (kind === "deprecations") content.deprecations.push(blob);
    else content.others.push(blob);
  }
  return content;
}

async function fetchLines({ client }: TargetCluster, url: string, signal: AbortSignal): Promise<Buffer> {
  if (isLoopbackUrl(url)) return fetchLocal(url, signal);
  const { protocol, hostname, port, pathname } = new URL(url);
  const [service, namespace, kind] = hostname.split(".");
  if (service === undefined || namespace === undefined || kind !== "svc") {
    throw new CommandError("PINTLE7107", `${hostname} is neither on this machine nor a Service of the cluster`);
  }
  const scheme = protocol === "https:" ? "https:" : "";
  const target = `${scheme}${service}:${port === "" ? (scheme === "" ? "80" : "443") : port}`;
  const path = `/api/v1/namespaces/${namespace}/services/${target}/proxy${pathname}`;
  const response = await client.request({ method: "GET", path, signal });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.bytes()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function fetchLocal(url: string, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = getHttp(url, { signal, agent: new Agent() }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks);
        if (response.statusCode === 200) resolve(body);
        else reject(new CommandError("PINTLE7107", `HTTP ${response.statusCode}: ${body.toString("utf8").trim()}`));
      });
    });
    request.on("error", reject);
  });
}
