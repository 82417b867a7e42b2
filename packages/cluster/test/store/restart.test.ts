import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";
import { asker } from "./asker.ts";

let file: string;
beforeEach(() => {
  file = mkdtempSync(path.join(tmpdir(), "pintle-restart-"));
});
afterEach(() => rmSync(file, { recursive: true }));

const configMaps = "/api/v1/namespaces/default/configmaps";
const start = () => startCluster({ store: { file }, http: true, without: true });

test("a restarted cluster is the same one: objects, port, kubeconfig, tokens, watches", async () => {
  const first = await start();
  const ask = asker(first.kubeconfig);
  await ask("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
  const { token } = (await ask("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", { spec: {} })).body.status;
  const created = (await ask("POST", configMaps, { metadata: { name: "a" }, data: { x: "y" } })).body;
  const changed = (await ask("PATCH", `${configMaps}/a`, { data: { x: "z" } })).body;
  const crd = {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
  await ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd);
  const namespaces = (await ask("GET", "/api/v1/namespaces")).body.items;
  await first.stop();

  const second = await start();
  try {
    const ask = asker(first.kubeconfig);
    expect(second.url).toBe(first.url);
    expect((await ask("GET", `${configMaps}/a`)).body).toEqual(changed);
    expect((await ask("GET", "/api/v1/namespaces")).body.items).toEqual(namespaces);
    expect((await ask("GET", "/apis/example.com/v1/widgets")).status).toBe(200);
    const me = await asker(first.kubeconfig, token)("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
    expect(me.body.status.userInfo.username).toBe("system:serviceaccount:default:robot");
    const { resourceVersion } = created.metadata;
    const watched = await ask("GET", `${configMaps}?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=1`);
    expect(watched.body).toEqual({ type: "MODIFIED", object: changed });
  } finally {
    await second.stop();
  }
});

test("a start finds everything made already, and writes only what is about the start", async () => {
  const revisions: number[] = [];
  for (let round = 0; round < 3; round++) {
    const cluster = await start();
    revisions.push(cluster.server.store.currentRevision());
    await cluster.stop();
  }
  const [first = 0, second = 0, third = 0] = revisions;
  expect(second - first).toBeLessThanOrEqual(2);
  expect(third - second).toBeLessThanOrEqual(2);
});

test("the keys are for nobody else", async () => {
  await (await start()).stop();
  expect(statSync(path.join(file, "keys.pem")).mode & 0o777).toBe(0o600);
  expect(readdirSync(file).sort()).toEqual(["00000001.log", "keys.pem"]);
});

test("a start that fails lets go of the folder", async () => {
  const other = await startCluster({ http: true, without: true });
  const taken = Number(new URL(other.url).port);
  await expect(startCluster({ store: { file }, http: taken, without: true })).rejects.toThrow(/EADDRINUSE/);
  await other.stop();
  await (await start()).stop();
});
