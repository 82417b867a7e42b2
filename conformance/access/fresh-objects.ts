import { setTimeout as delay } from "node:timers/promises";
import type { AccessServer } from "./server.ts";

const POLL_INTERVAL_MS = 300;

export interface FreshObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly managedFields?: readonly { readonly time?: string }[];
  };
}

/** Resources that are computed per request, and Events, which depend on how long the server takes to start. */
const NOT_STORED = new Set(["componentstatuses", "events"]);

/** Lists every object that a server creates by itself, once their set is stable. */
export async function listFreshObjects(server: AccessServer): Promise<readonly FreshObject[]> {
  let before: readonly FreshObject[] = [];
  for (;;) {
    const now = await listObjects(server);
    if (isComplete(now) && joinVersions(now) === joinVersions(before)) return now;
    before = now;
    await delay(POLL_INTERVAL_MS);
  }
}

/** The `kubernetes` Service is the last object that a server creates. */
function isComplete(objects: readonly FreshObject[]): boolean {
  return objects.some(({ kind, metadata }) => kind === "EndpointSlice" && metadata.name === "kubernetes");
}

/** The resourceVersions of all objects except Leases, which are renewed continuously. */
function joinVersions(objects: readonly FreshObject[]): string {
  return JSON.stringify(objects.map(({ kind, metadata }) => (kind === "Lease" ? "" : `${metadata.uid} ${metadata.resourceVersion}`)));
}

async function listObjects({ send }: AccessServer): Promise<readonly FreshObject[]> {
  const get = async (path: string) => (await send({ method: "GET", path })).body;
  const groups = (await get("/apis")).groups.map((group: any) => `/apis/${group.preferredVersion.groupVersion}`);
  const found: FreshObject[] = [];
  for (const root of ["/api/v1", ...groups]) {
    const { resources, groupVersion } = await get(root);
    for (const { name, kind, verbs } of resources) {
      if (!verbs.includes("list") || NOT_STORED.has(name)) continue;
      for (const item of (await get(`${root}/${name}`)).items) found.push({ apiVersion: groupVersion, kind, ...item });
    }
  }
  return found;
}
