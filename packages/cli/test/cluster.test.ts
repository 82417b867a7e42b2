import path from "node:path";
import { connect } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, onTestFailed, test } from "vitest";
import { main } from "../src/main.ts";
import { shop, workshop } from "./pintle.ts";

/** A command that stays, what it has said so far, and how to end it. */
function staying(root: string, ...words: string[]) {
  const stop = new AbortController();
  let told = "";
  const heard: (() => void)[] = [];
  const say = (text: string) => {
    told += text;
    for (const each of heard.splice(0)) each();
  };
  onTestFailed(() => console.log(told));
  const ended = main(words, { out: say, err: say, tty: false, cwd: root, signal: stop.signal });
  void ended.then(() => say(""));
  return {
    ended,
    stop: () => stop.abort(),
    async until(pattern: RegExp) {
      while (!pattern.test(told)) await new Promise<void>((resolve) => heard.push(resolve));
      return pattern.exec(told)!;
    },
  };
}

test("a cluster that is up is found, snapshot, reset and stopped by others", { timeout: 60_000 }, async () => {
  using here = workshop();
  expect(await here.pintle("cluster", "down")).toMatchObject({ code: 0, out: "no cluster was up\n" });
  expect((await here.pintle("cluster", "kubeconfig")).err).toMatch(
    /no cluster of \.pintle\/kubeconfig is up\. Start one with: pintle cluster up/,
  );
  const up = staying(here.root, "cluster", "up");
  await up.until(/Ctrl-C/);
  const kubeconfig = (await here.pintle("cluster", "kubeconfig", "--path")).out.trim();
  expect(kubeconfig).toBe(path.join(here.root, ".pintle/kubeconfig"));
  expect((await here.pintle("cluster", "up")).err).toMatch(/is up already: stop it with pintle cluster down/);
  const ref = { name: "kept", namespace: "default" };
  await (async () => {
    const client = await connect({ kubeconfig });
    await client.create(ConfigMap, { metadata: ref, data: { a: "1" } });
    await client.close();
  })();
  expect((await here.pintle("cluster", "snapshot", "saved.json")).code).toBe(0);
  expect((await here.pintle("cluster", "snapshot", "saved.json")).err).toMatch(/saved\.json is there already: say --force/);
  expect((await here.pintle("cluster", "reset")).err).toMatch(/would delete everything .*: say --yes/);
  expect(await here.pintle("cluster", "reset", "--yes")).toMatchObject({ code: 0, out: expect.stringMatching(/is as new\n$/) });
  const fresh = await connect({ kubeconfig });
  expect(await fresh.find(ConfigMap, ref)).toBeUndefined();
  await fresh.close();
  expect(await here.pintle("cluster", "down")).toMatchObject({ code: 0, out: expect.stringMatching(/^cluster at https:.* stopped\n$/) });
  expect(await up.ended).toBe(0);
  expect(here.has(".pintle/kubeconfig")).toBe(false);
  expect(here.has(".pintle/kubeconfig.cluster.json")).toBe(false);

  const again = staying(here.root, "cluster", "up", "--from", "saved.json");
  await again.until(/Ctrl-C/);
  const client = await connect({ kubeconfig });
  expect((await client.get(ConfigMap, ref)).data).toEqual({ a: "1" });
  await client.create(ConfigMap, { metadata: { name: "more", namespace: "default" } });
  await client.close();
  again.stop();
  expect(await again.ended).toBe(0);
});

test("what a killed cluster left is taken away, and its number is nobody else's", async () => {
  using here = workshop({
    ".pintle/kubeconfig.cluster.json": JSON.stringify({
      control: "http://127.0.0.1:1",
      token: "x",
      url: "https://127.0.0.1:1",
      pid: process.pid,
    }),
  });
  expect(await here.pintle("cluster", "down")).toMatchObject({ code: 0, out: "no cluster was up\n" });
  expect(here.has(".pintle/kubeconfig.cluster.json")).toBe(false);
});

test("--data is emptied by a reset, and its kubeconfig stays good", { timeout: 60_000 }, async () => {
  using here = workshop();
  const up = staying(here.root, "cluster", "up", "--data", "data");
  await up.until(/Ctrl-C/);
  const before = here.read(".pintle/kubeconfig");
  expect((await here.pintle("cluster", "reset", "--yes")).code).toBe(0);
  const server = /"?server"?: .*/;
  expect(server.exec(here.read(".pintle/kubeconfig"))?.[0]).toBe(server.exec(before)?.[0]);
  const client = await connect({ kubeconfig: path.join(here.root, ".pintle/kubeconfig") });
  await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" } });
  await client.close();
  up.stop();
  expect(await up.ended).toBe(0);
});

test.each([
  [["--registry-port", "no"], /--registry-port no is no port/, 2],
  [["--from", "none.json"], /--from none\.json cannot be read \(ENOENT\)/, 1],
  [["--from", "package.json"], /package\.json is no snapshot/, 1],
  [["--from", "package.json", "--data", "d"], /leave out --data/, 2],
])("cluster up %j: a sentence", async (words, sentence, code) => {
  using here = workshop(shop());
  expect(await here.pintle("cluster", "up", ...words)).toMatchObject({ code, err: expect.stringMatching(sentence) });
});

test("--registry answers beside the cluster, and goes with it", { timeout: 60_000 }, async () => {
  using here = workshop(shop());
  const up = staying(here.root, "cluster", "up", "--registry");
  const [, host] = await up.until(/registry at (\S+),/);
  expect(await (await fetch(`http://${host}/v2/`)).json()).toEqual({});
  expect(await (await fetch(`http://${host}/v2/_catalog`)).json()).toEqual({ repositories: [] });
  up.stop();
  expect(await up.ended).toBe(0);
  await expect(fetch(`http://${host}/v2/`)).rejects.toThrow();
});
