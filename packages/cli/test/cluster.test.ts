import { chmodSync, lstatSync, symlinkSync } from "node:fs";
import path from "node:path";
import { connect } from "pintle/client";
import { ConfigMap, Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { startCommand } from "./start-command.ts";
import { createTestProject, shopProject } from "./test-project.ts";

/** More digits than a double has. */
const LARGE = 9007199254740993n as unknown as number;

test("a running cluster can be found, snapshotted, reset and stopped by other commands", { timeout: 60_000 }, async () => {
  using here = createTestProject();
  expect(await here.pintle("cluster", "down")).toMatchObject({ code: 0, out: "no cluster is running\n" });
  expect((await here.pintle("cluster", "kubeconfig")).err).toMatch(
    /no cluster is running for kubeconfig \.pintle\/kubeconfig\. Start one with 'pintle cluster up'/,
  );
  // What an earlier run, or another user of a shared folder, may have left.
  here.write("target", "untouched");
  here.write(".pintle/kubeconfig", "");
  chmodSync(path.join(here.root, ".pintle/kubeconfig"), 0o644);
  const createSymlink = (file: string) => symlinkSync(path.join(here.root, "target"), path.join(here.root, file));
  createSymlink(".pintle/kubeconfig.cluster.json");
  const up = startCommand(here.root, "cluster", "up");
  await up.until(/Ctrl-C/);
  const mode = (file: string) => lstatSync(path.join(here.root, file)).mode & 0o777;
  expect([mode(".pintle/kubeconfig"), mode(".pintle/kubeconfig.cluster.json")]).toEqual([0o600, 0o600]);
  const kubeconfig = (await here.pintle("cluster", "kubeconfig", "--path")).out.trim();
  expect(kubeconfig).toBe(path.join(here.root, ".pintle/kubeconfig"));
  expect((await here.pintle("cluster", "up")).err).toMatch(/is already running for kubeconfig .*: stop it with 'pintle cluster down'/);
  const ref = { name: "kept", namespace: "default" };
  await (async () => {
    const client = await connect({ kubeconfig });
    await client.create(ConfigMap, { metadata: ref, data: { a: "1" } });
    await client.create(Pod, { metadata: ref, spec: { terminationGracePeriodSeconds: LARGE, containers: [{ name: "a", image: "a" }] } });
    await client.close();
  })();
  expect((await here.pintle("cluster", "snapshot", ".pintle/kubeconfig/saved.json")).err).toMatch(/cannot write .*saved\.json: E\w+/);
  createSymlink("saved.json");
  expect((await here.pintle("cluster", "snapshot", "saved.json", "--force")).code).toBe(0);
  expect([mode("saved.json"), here.read("target")]).toEqual([0o600, "untouched"]);
  expect((await here.pintle("cluster", "snapshot", "saved.json")).err).toMatch(/saved\.json already exists: pass --force/);
  expect((await here.pintle("cluster", "reset")).err).toMatch(/deletes all objects .*: pass --yes/);
  expect(await here.pintle("cluster", "reset", "--yes")).toMatchObject({ code: 0, out: expect.stringMatching(/ reset\n$/) });
  const fresh = await connect({ kubeconfig });
  expect(await fresh.find(ConfigMap, ref)).toBeUndefined();
  await fresh.close();
  expect(await here.pintle("cluster", "down")).toMatchObject({ code: 0, out: expect.stringMatching(/^cluster https:.* stopped\n$/) });
  expect(await up.ended).toBe(0);
  expect(here.has(".pintle/kubeconfig")).toBe(false);
  expect(here.has(".pintle/kubeconfig.cluster.json")).toBe(false);

  const again = startCommand(here.root, "cluster", "up", "--from", "saved.json");
  await again.until(/Ctrl-C/);
  const client = await connect({ kubeconfig });
  expect((await client.get(ConfigMap, ref)).data).toEqual({ a: "1" });
  expect((await client.get(Pod, ref)).spec.terminationGracePeriodSeconds).toBe(LARGE);
  await client.create(ConfigMap, { metadata: { name: "more", namespace: "default" } });
  await client.close();
  expect(await again.stop()).toBe(0);
});

test("removes the state file of a killed cluster and does not trust its port", async () => {
  using here = createTestProject({
    ".pintle/kubeconfig.cluster.json": JSON.stringify({
      control: "http://127.0.0.1:1",
      token: "x",
      url: "https://127.0.0.1:1",
      pid: process.pid,
    }),
  });
  expect(await here.pintle("cluster", "down")).toMatchObject({ code: 0, out: "no cluster is running\n" });
  expect(here.has(".pintle/kubeconfig.cluster.json")).toBe(false);
});

test("cluster reset wipes the --data folder and keeps the kubeconfig valid", { timeout: 60_000 }, async () => {
  using here = createTestProject();
  const up = startCommand(here.root, "cluster", "up", "--data", "data");
  await up.until(/Ctrl-C/);
  const before = here.read(".pintle/kubeconfig");
  expect((await here.pintle("cluster", "reset", "--yes")).code).toBe(0);
  const server = /"?server"?: .*/;
  expect(server.exec(here.read(".pintle/kubeconfig"))?.[0]).toBe(server.exec(before)?.[0]);
  const client = await connect({ kubeconfig: path.join(here.root, ".pintle/kubeconfig") });
  await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" } });
  await client.close();
  expect(await up.stop()).toBe(0);
});

test.each([
  [["--registry-port", "no"], /invalid --registry-port "no"/, 2],
  [["--from", "none.json"], /cannot read --from none\.json: ENOENT/, 1],
  [["--from", "package.json"], /package\.json is not a snapshot/, 1],
  [["--from", "package.json", "--data", "d"], /cannot be combined with --data/, 2],
])("cluster up %j fails with one error message", async (words, sentence, code) => {
  using here = createTestProject(shopProject());
  expect(await here.pintle("cluster", "up", ...words)).toMatchObject({ code, err: expect.stringMatching(sentence) });
});

test("--registry serves a registry until the cluster stops", { timeout: 60_000 }, async () => {
  using here = createTestProject(shopProject());
  const up = startCommand(here.root, "cluster", "up", "--registry");
  const [, host] = await up.until(/registry (\S+) \(plain HTTP\)/);
  expect(await (await fetch(`http://${host}/v2/`)).json()).toEqual({});
  expect(await (await fetch(`http://${host}/v2/_catalog`)).json()).toEqual({ repositories: [] });
  expect(await up.stop()).toBe(0);
  await expect(fetch(`http://${host}/v2/`)).rejects.toThrow();
});
