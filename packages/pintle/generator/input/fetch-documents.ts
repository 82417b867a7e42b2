import { classifyDocuments, isRecord, type PublishedDocuments } from "./documents.ts";

/** Sends a GET request and returns the JSON response. */
export type GetJson = (path: string) => Promise<unknown>;

/** Fetches the OpenAPI and discovery documents of an API server. */
export async function fetchDocuments(get: GetJson): Promise<PublishedDocuments> {
  const index = (await get("/openapi/v3")) as { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> };
  const groups = await get("/apis");
  const all = isRecord(groups) && Array.isArray(groups["groups"]) ? groups["groups"].flatMap(versionsOf) : [];
  // The group of an aggregated API server that is unavailable has no document.
  const groupVersions = all.filter((each) => `apis/${each}` in index.paths);
  const openapi = Object.values(index.paths).map(({ serverRelativeURL }) => serverRelativeURL);
  const lists = ["/api/v1", ...groupVersions.map((each) => `/apis/${each}`), "/apis/apiregistration.k8s.io/v1/apiservices"];
  const responses: unknown[] = [groups];
  // Sequentially: the API server builds each document on its first request.
  for (const path of [...openapi, ...lists]) responses.push(await get(path));
  return classifyDocuments(responses);
}

function versionsOf(group: unknown): readonly string[] {
  const versions = (group as { readonly versions: readonly { readonly groupVersion: string }[] }).versions;
  return versions.map(({ groupVersion }) => groupVersion);
}
