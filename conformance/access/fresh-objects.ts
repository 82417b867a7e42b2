import { setTimeout as delay } from "node:timers/promises";
import type { Server } from "./server.ts";

const PAUSE = 300;

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

/** Not objects but what is asked of other parts at the moment of the request; and what a server that starts slowly has to say of itself. */
const NOT_MADE = new Set(["componentstatuses", "events"]);

/** Every object a server holds by itself, once it adds no more. */
export async function freshObjects(server: Server): Promise<readonly FreshObject[]> {
  let before: readonly FreshObject[] = [];
  for (;;) {
    const now = await objectsOf(server);
    if (isComplete(now) && versionsOf(now) === versionsOf(before)) return now;
    before = now;
    await delay(PAUSE);
  }
}

/** The last thing a server makes is the Service it is reached by. */
function isComplete(objects: readonly FreshObject[]): boolean {
  return objects.some(({ kind, metadata }) => kind === "EndpointSlice" && metadata.name === "kubernetes");
}

/** Leases are renewed for ever. */
function versionsOf(objects: readonly FreshObject[]): string {
  return JSON.stringify(objects.map(({ kind, metadata }) => (kind === "Lease" ? "" : `${metadata.uid} ${metadata.resourceVersion}`)));
}

async function objectsOf({ send }: Server): Promise<readonly FreshObject[]> {
  const get = async (path: string) => (await send({ method: "GET", path })).body;
  const groups = (await get("/apis")).groups.map((group: any) => `/apis/${group.preferredVersion.groupVersion}`);
  const found: FreshObject[] = [];
  for (const root of ["/api/v1", ...groups]) {
    const { resources, groupVersion } = await get(root);
    for (const { name, kind, verbs } of resources) {
      if (!verbs.includes("list") || NOT_MADE.has(name)) continue;
      for (const item of (await get(`${root}/${name}`)).items) found.push({ apiVersion: groupVersion, kind, ...item });
    }
  }
  return found;
}
