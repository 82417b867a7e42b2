import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startCluster } from "../../src/index.ts";
import { createHttpsRequester } from "./https-requester.ts";

let file: string;
beforeEach(() => {
  file = mkdtempSync(path.join(tmpdir(), "pintle-restart-"));
});
afterEach(() => rmSync(file, { recursive: true }));

const configMaps = "/api/v1/namespaces/default/configmaps";
const start = () => startCluster({ store: { file }, http: true, without: true });

test("keeps objects, port, kubeconfig, tokens and watches across a restart", async () => {
  const first = await start();
  const ask = createHttpsRequester(first.kubeconfig);
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
    const ask = createHttpsRequester(first.kubeconfig);
    expect(second.url).toBe(first.url);
    expect((await ask("GET", `${configMaps}/a`)).body).toEqual(changed);
    expect((await ask("GET", "/api/v1/namespaces")).body.items).toEqual(namespaces);
    expect((await ask("GET", "/apis/example.com/v1/widgets")).status).toBe(200);
    const me = await createHttpsRequester(first.kubeconfig, token)("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
    expect(me.body.status.userInfo.username).toBe("system:serviceaccount:default:robot");
    const { resourceVersion } = created.metadata;
    const watched = await ask("GET", `${configMaps}?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=1`);
    expect(watched.body).toEqual({ type: "MODIFIED", object: changed });
  } finally {
    await second.stop();
  }
});

test("creates no bootstrap objects again on the next start", async () => {
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

test("makes the keys readable by the owner only", async () => {
  await (await start()).stop();
  expect(statSync(path.join(file, "keys.pem")).mode & 0o777).toBe(0o600);
  expect(readdirSync(file).sort()).toEqual(["00000001.log", "keys.pem", "writer"]);
});

test("releases the folder when the start fails", async () => {
  const other = await startCluster({ http: true, without: true });
  const taken = Number(new URL(other.url).port);
  await expect(startCluster({ store: { file }, http: taken, without: true })).rejects.toThrow(/EADDRINUSE/);
  await other.stop();
  await (await start()).stop();
});

test("keys and logs that others could read become private, and a link in their place is refused", async () => {
  await (await start()).stop();
  const names = () => readdirSync(file).filter((name) => /\.(pem|log|snapshot)$/.test(name));
  for (const name of names()) chmodSync(path.join(file, name), 0o644);
  await (await start()).stop();
  for (const name of names()) expect([name, statSync(path.join(file, name)).mode & 0o777]).toEqual([name, 0o600]);
  renameSync(path.join(file, "keys.pem"), path.join(file, "elsewhere"));
  symlinkSync("elsewhere", path.join(file, "keys.pem"));
  await expect(start()).rejects.toThrow(/ELOOP/);
});

describe("damaged keys", () => {
  const keys = () => path.join(file, "keys.pem");
  const refusal =
    /^.*keys\.pem is damaged: .*Restore it from a backup, or delete .*keys\.pem to create new keys: objects stay, but every kubeconfig/;

  test("are refused with the file and a remedy, at whatever byte they are damaged; after their deletion new keys are created", async () => {
    await (await start()).stop();
    const intact = readFileSync(keys());
    const certificate = intact.indexOf("MI");
    for (const at of [certificate, certificate + 100, intact.lastIndexOf("BEGIN PRIVATE KEY") + 60, intact.length - 10]) {
      const damaged = Buffer.from(intact);
      damaged[at] = damaged[at] === 0x41 ? 0x42 : 0x41;
      writeFileSync(keys(), damaged);
      await expect(start(), `byte ${at}`).rejects.toMatchObject({ code: "PINTLE6502", message: expect.stringMatching(refusal) });
      expect(readFileSync(keys()).equals(damaged)).toBe(true);
    }
    for (const cut of [0, 100, intact.length / 2]) {
      writeFileSync(keys(), intact.subarray(0, cut));
      await expect(start(), `cut at ${cut}`).rejects.toMatchObject({ code: "PINTLE6502", message: expect.stringMatching(refusal) });
    }
    rmSync(keys());
    await (await start()).stop();
    expect(readFileSync(keys()).equals(intact)).toBe(false);
  });

  test("of an earlier version, without a checksum, are found by what they contain", async () => {
    await (await start()).stop();
    const text = readFileSync(keys(), "utf8").replace(/# sha256 .*\n/, "");
    writeFileSync(keys(), text);
    await (await start()).stop();
    expect(readFileSync(keys(), "utf8")).toBe(text);
    const [certificate = "", key = "", signingKey = ""] = text.match(/-----BEGIN [\s\S]+?-----END [A-Z ]+-----\n/g) ?? [];
    writeFileSync(keys(), certificate + signingKey + key);
    await expect(start()).rejects.toMatchObject({ code: "PINTLE6502", message: expect.stringContaining("is not that of its certificate") });
  });
});
