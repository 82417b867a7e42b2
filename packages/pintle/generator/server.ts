import { type Documents, documents, isRecord } from "./documents.ts";

/** Answers a GET with JSON. */
export type Get = (path: string) => Promise<unknown>;

/** Asks a running server for everything it publishes about its API. */
export async function server(get: Get): Promise<Documents> {
  const index = (await get("/openapi/v3")) as { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> };
  const groups = await get("/apis");
  const all = isRecord(groups) && Array.isArray(groups["groups"]) ? groups["groups"].flatMap(versionsOf) : [];
  // A group that another API server should serve, and does not, has no document.
  const groupVersions = all.filter((each) => `apis/${each}` in index.paths);
  const openapi = Object.values(index.paths).map(({ serverRelativeURL }) => serverRelativeURL);
  const lists = ["/api/v1", ...groupVersions.map((each) => `/apis/${each}`), "/apis/apiregistration.k8s.io/v1/apiservices"];
  const answers: unknown[] = [groups];
  // One after the other: a server builds each of these documents when it is first asked for.
  for (const path of [...openapi, ...lists]) answers.push(await get(path));
  return documents(answers);
}

function versionsOf(group: unknown): readonly string[] {
  const versions = (group as { readonly versions: readonly { readonly groupVersion: string }[] }).versions;
  return versions.map(({ groupVersion }) => groupVersion);
}
