import type { JsonObject } from "pintle/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setNow } from "../../packages/cluster/test/builtin/comparable.ts";
import { ours } from "../../packages/cluster/test/builtin/ours.ts";
import type { Reply, Send } from "../../packages/cluster/test/builtin/script.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { disableAdmissionPlugins } from "./admission.ts";
import { type Mutation, mutations } from "./mutations.ts";
import { realServer } from "./real-server.ts";
import { type Good, goodObjects, loosely, makeNamespace } from "./spoiled.ts";

/**
 * What we know to do otherwise: expressions are compiled where they are used, not when they are stored; what a dry run
 * leaves unchecked, we check; an empty list is the same as none; problems of metadata and of content come together.
 */
const KNOWN: Readonly<Record<string, RegExp>> = {
  ValidatingAdmissionPolicy: /expression = "(Not|x)/,
  MutatingAdmissionPolicy: /expression = "(Not|x)/,
  CustomResourceDefinition: /^spec\.versions twice$/,
  DaemonSet: /template\.generation/,
  Event: /^metadata (left out|= \{\})$/,
  HorizontalPodAutoscaler: /policies(\.0 left out| = \[\])$/,
  Job: /matchLabels\..* = "(Not|x)/,
  PersistentVolume: /nodeAffinity\.required\.nodeSelectorTerms\.0\.matchExpressions\.0\.(key|values)/,
  Pod: /fieldRef\.apiVersion|volumeDevices\.0/,
  PodDisruptionBudget: /^metadata (left out|= \{\})$/,
  Secret: /dockerconfigjson = "x/,
  Service: /nodePort|^spec\.ports twice$|protocol|clusterIP|^metadata (left out|= \{\})$|with more$/,
  StatefulSet: /volumeClaimTemplates\.0\.(kind|apiVersion) = 7|matchLabels\..* = "(Not|x)/,
  CertificateSigningRequest: /spec\.(extra|groups|username)/,
};
/** Changed by the real server's own controllers while we look. */
const BUSY = new Set(["FlowSchema", "PriorityLevelConfiguration", "APIService", "Namespace", "CustomResourceDefinition"]);
/** Wrong only in what a dry run does not look at. */
const UNCHECKED = new Set(["Service of service bad", "Service of service given ip"]);
/** Of every so many mutations one is tried, unless everything is asked for. */
const STEP = process.env["PINTLE_CONFORMANCE"] === "full" ? 1 : 12;
const seed = Number(process.env["PINTLE_SEED"] ?? 0);

let real: ControlPlane;
let askReal: Send;
let askOurs: Send;
beforeAll(async () => {
  real = await startControlPlane({ disableAdmissionPlugins });
  askReal = await realServer(real.kubeconfig);
  const now = Date.now();
  setNow(now);
  askOurs = await ours(now);
  for (const send of [askReal, askOurs]) await makeNamespace(send);
}, 120_000);
afterAll(() => real?.stop());

const all = (await goodObjects()).filter(({ title }) => !UNCHECKED.has(title));

describe("an object with one field spoiled is refused alike", () => {
  test.for(all)("$title", { timeout: 120_000 }, async ({ kind, collection, object }) => {
    const path = `${collection}?dryRun=All`;
    for (const { name, object: body } of sample(kind, mutations(object))) {
      const [theirs, mine] = await both({ method: "POST", path, body }, { method: "POST", path, body });
      expect(loosely(mine), name).toEqual(loosely(theirs));
    }
  });
});

describe("an object that is there is changed alike", () => {
  test.for(all.filter(({ kind }) => !BUSY.has(kind)))("$title", { timeout: 120_000 }, async (good) => {
    const made = await both({ method: "POST", path: good.collection, body: good.object });
    if (made.some(({ code }) => code !== 201)) return;
    const path = `${good.collection}/${(made[0].body["metadata"] as JsonObject)["name"]}`;
    const [theirs, mine] = made.map(({ body }) => [...sample(good.kind, mutations(ownPart(body)))]) as [Mutation[], Mutation[]];
    for (const [i, { name, object }] of theirs.entries()) {
      const put = (body: JsonObject, { body: stored }: Reply) => ({
        method: "PUT",
        path: `${path}?dryRun=All`,
        body: withVersion(body, stored),
      });
      const [real, our] = await both(put(object, made[0]), put(mine[i]!.object, made[1]));
      expect(loosely(our), name).toEqual(loosely(real));
    }
    await both({ method: "DELETE", path, body: { gracePeriodSeconds: 0, propagationPolicy: "Background" } });
  });
});

type Asked = Parameters<Send>[0];

async function both(theirs: Asked, mine: Asked = theirs): Promise<readonly [Reply, Reply]> {
  return [await askReal(theirs), await askOurs(mine)];
}

function* sample(kind: Good["kind"], found: Iterable<Mutation>): Generator<Mutation> {
  let index = seed;
  for (const mutation of found) if (!KNOWN[kind]?.test(mutation.name) && index++ % STEP === 0) yield mutation;
}

/** What a client may change, in the same order on both servers. */
function ownPart({ status: _, ...body }: JsonObject): JsonObject {
  const { uid, creationTimestamp, managedFields, resourceVersion, generation, ...metadata } = body["metadata"] as JsonObject;
  return ordered({ ...body, metadata }) as JsonObject;
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, ordered(field)]),
  );
}

function withVersion(object: JsonObject, stored: JsonObject): JsonObject {
  const { resourceVersion } = stored["metadata"] as JsonObject;
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), resourceVersion } } as JsonObject;
}
