import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startControlPlane } from "../real/index.ts";
import { customResources } from "./cases/custom-resources.ts";
import { deletion } from "./cases/deletion.ts";
import { lists } from "./cases/lists.ts";
import { objects } from "./cases/objects.ts";
import { patches } from "./cases/patches.ts";
import { paths } from "./cases/paths.ts";
import { subresources } from "./cases/subresources.ts";
import { watches } from "./cases/watches.ts";
import { comparable } from "./comparable.ts";
import { type Ground, widgetCrd } from "./step.ts";
import { type Target, target } from "./target.ts";

/** The same requests, in the same order, to a real API server and to ours: the answers must be the same. */
const word = `c${Date.now().toString(36)}`;
const namespace = `api-${word}`;
const ground: Ground = {
  word,
  namespace,
  configMaps: `/api/v1/namespaces/${namespace}/configmaps`,
  widgets: `/apis/example.com/v1/namespaces/${namespace}/widgets`,
};

let real: Target;
let ours: Target;
const stop: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const controlPlane = await startControlPlane({ controllerManager: false });
  const cluster = await startCluster({ without: true, http: true });
  real = target(await readFile(controlPlane.kubeconfig, "utf8"));
  ours = target(cluster.kubeconfig);
  stop.push(
    real.close,
    ours.close,
    () => controlPlane.stop(),
    () => cluster.stop(),
  );
  for (const each of [real, ours]) {
    const defined = await each.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetCrd);
    if (defined.status !== 201) throw new Error(`widgets could not be defined: ${JSON.stringify(defined.body)}`);
    while ((await each.send("GET", "/apis/example.com/v1/widgets")).status !== 200) await delay(50);
    await each.send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  }
});
afterAll(async () => {
  for (const each of stop) await each();
});

describe.each(Object.entries({ objects, patches, subresources, lists, deletion, watches, paths, customResources }))("%s", (_, cases) => {
  test.each(cases(ground))("%s", async (_title, run) => {
    const [theirs, mine] = await Promise.all([run(real), run(ours)]);
    expect(comparable(mine)).toEqual(comparable(theirs));
  });
});
