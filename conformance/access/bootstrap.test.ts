import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshObject, listFreshObjects } from "./fresh-objects.ts";
import type { AccessServer } from "./server.ts";
import { startEmbeddedServer, startRealServer } from "./servers.ts";

let theirs: Map<string, unknown>;
let ours: Map<string, unknown>;
const servers: AccessServer[] = [];
beforeAll(async () => {
  const real = await startRealServer();
  const embedded = await startEmbeddedServer();
  servers.push(real, embedded);
  theirs = await readComparableObjects(real);
  ours = await readComparableObjects(embedded);
});
afterAll(() => Promise.all(servers.map((each) => each.stop())));

describe("a fresh server", () => {
  test("stores the same set of objects as a fresh kube-apiserver", () => {
    expect([...ours.keys()].sort()).toEqual([...theirs.keys()].sort());
    expect(theirs.size).toBeGreaterThan(180);
  });
  test("stores every object with the same content", () => {
    for (const [name, object] of theirs) expect(ours.get(name), name).toEqual(object);
  });
});

/** Objects by name, without server-specific values: uids, resourceVersions, times, port, host name and certificate authority. */
async function readComparableObjects(server: AccessServer): Promise<Map<string, unknown>> {
  const port = new URL(server.url).port;
  const text = (object: FreshObject) =>
    JSON.stringify(object)
      .replaceAll(/"(resourceVersion)":"\d+"/g, '"$1":"<revision>"')
      .replaceAll(/\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{6})?Z)?/g, "<time>")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
      .replaceAll(/apiserver-[a-z2-7]{26}/g, "apiserver-<identity>")
      .replaceAll(/"kubernetes.io\/hostname":"[^"]*"/g, '"kubernetes.io/hostname":"<host>"')
      .replaceAll(/-----BEGIN CERTIFICATE-----.*-----END CERTIFICATE-----\\n/g, "<authority>")
      .replaceAll(new RegExp(`:${port}(?=[,}\\]"])`, "g"), ":0");
  const objects = (await listFreshObjects(server)).map((object) => JSON.parse(text(object)) as FreshObject);
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.namespace ?? ""}/${object.metadata.name}`, object]));
}
