import { readFileSync } from "node:fs";
import path from "node:path";
import { connect } from "pintle/client";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, onTestFailed, test } from "vitest";
import { main } from "../src/main.ts";
import { shop, workshop } from "./pintle.ts";

/** Gives every Store a ConfigMap that says `word`. */
const source = (word: string) =>
  shop()
    ["src/store.ts"]!.replace("({ want }) =>", "({ object, want }) =>")
    .replace(
      "children: {}",
      `children: { config: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { word: "${word}" } }) }`,
    );

test("dev: the operator runs with its own rights, follows its sources, survives mistakes, and leaves nothing", {
  timeout: 120_000,
}, async () => {
  using here = workshop({
    ...shop(),
    "src/store.ts": source("one"),
    "config/samples/store.yaml": "apiVersion: shop.example.com/v1\nkind: Store\nmetadata: {name: demo}\nspec: {}\n",
  });
  const stop = new AbortController();
  let told = "";
  onTestFailed(() => console.log(told));
  const heard: (() => void)[] = [];
  const say = (text: string) => {
    told += text;
    for (const each of heard.splice(0)) each();
  };
  const until = async (pattern: RegExp) => {
    while (!pattern.test(told)) await new Promise<void>((resolve) => heard.push(resolve));
  };
  const running = main(["dev", "--samples"], { out: say, err: say, tty: false, cwd: here.root, signal: stop.signal });
  await until(/sample {4}Store default\/demo created/);
  const client = await connect({ kubeconfig: path.join(here.root, ".pintle/kubeconfig") });
  const word = (expected: string) =>
    client.wait(ConfigMap, { name: "demo", namespace: "default" }, ({ data }) => data?.["word"] === expected, { timeout: 60_000 });
  await word("one");
  // As its own account, not as an administrator.
  expect(readFileSync(path.join(here.root, ".pintle/operator.kubeconfig"), "utf8")).toContain('"token"');
  here.write("src/store.ts", "this is not TypeScript");
  await until(/src\/store\.ts:1:\d+: .*\nthe operator goes on as it was/);
  here.write("src/store.ts", source("two"));
  await word("two");
  await client.close();
  stop.abort();
  expect(await running).toBe(0);
  expect(told).toMatch(/restarted src\/main\.ts as shop-system\/shop-controller-manager, \d+ ms/);
  expect(here.files()).toEqual(["config/samples/store.yaml", "package.json", "src/main.ts", "src/store.ts"]);
  expect(here.has(".pintle/kubeconfig")).toBe(false);
  expect(here.has(".pintle/operator.kubeconfig")).toBe(false);
});
