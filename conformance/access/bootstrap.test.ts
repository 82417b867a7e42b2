import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshObject, freshObjects } from "./fresh-objects.ts";
import type { Server } from "./server.ts";
import { embeddedServer, realServer } from "./servers.ts";

let theirs: Map<string, unknown>;
let ours: Map<string, unknown>;
const servers: Server[] = [];
beforeAll(async () => {
  const real = await realServer();
  const embedded = await embeddedServer();
  servers.push(real, embedded);
  theirs = await comparable(real);
  ours = await comparable(embedded);
});
afterAll(() => Promise.all(servers.map((each) => each.stop())));

describe("a fresh server", () => {
  test("holds what a fresh kube-apiserver holds, and nothing else", () => {
    expect([...ours.keys()].sort()).toEqual([...theirs.keys()].sort());
    expect(theirs.size).toBeGreaterThan(180);
  });
  test("object by object", () => {
    for (const [name, object] of theirs) expect(ours.get(name), name).toEqual(object);
  });
});

/** Objects by name, without what no two servers have in common: uids, revisions, times, their port, name and authority. */
async function comparable(server: Server): Promise<Map<string, unknown>> {
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
  const objects = (await freshObjects(server)).map((object) => JSON.parse(text(object)) as FreshObject);
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.namespace ?? ""}/${object.metadata.name}`, object]));
}
