import type { JsonObject } from "pintle/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEmbeddedServer } from "../../packages/cluster/test/builtin/embedded-server.ts";
import { setReferenceTime } from "../../packages/cluster/test/builtin/normalize-response.ts";
import type { SendRequest, ServerResponse } from "../../packages/cluster/test/builtin/run-case.ts";
import { type ControlPlane, startControlPlane } from "../real/index.ts";
import { disableAdmissionPlugins } from "./admission.ts";
import { listMutations, type Mutation } from "./mutations.ts";
import { connectRealServer } from "./real-server.ts";
import { createNamespace, listValidObjects, normalizeLoosely, type ValidObject } from "./valid-objects.ts";

/**
 * Known differences, as patterns of mutation names by kind: expressions are compiled when used, not when stored; some checks that a
 * dry run skips are done; an empty list equals none; errors of metadata and of content are returned together.
 */
const KNOWN_DIFFERENCES: Readonly<Record<string, RegExp>> = {
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
/** Kinds whose objects the real server's controllers change during the test. */
const CONTROLLER_WRITTEN_KINDS = new Set([
  "FlowSchema",
  "PriorityLevelConfiguration",
  "APIService",
  "Namespace",
  "CustomResourceDefinition",
]);
/** Invalid only in what a dry run does not check. */
const SKIPPED_IN_DRY_RUN = new Set(["Service of service bad", "Service of service given ip"]);
/** A sample run tests one of so many mutations. */
const SAMPLE_STRIDE = process.env["PINTLE_CONFORMANCE"] === "full" ? 1 : 12;
const seed = Number(process.env["PINTLE_SEED"] ?? 0);

let real: ControlPlane;
let sendToReal: SendRequest;
let sendToEmbedded: SendRequest;
beforeAll(async () => {
  real = await startControlPlane({ disableAdmissionPlugins });
  sendToReal = await connectRealServer(real.kubeconfig);
  const now = Date.now();
  setReferenceTime(now);
  sendToEmbedded = await startEmbeddedServer(now);
  for (const send of [sendToReal, sendToEmbedded]) await createNamespace(send);
}, 120_000);
afterAll(() => real?.stop());

const all = (await listValidObjects()).filter(({ title }) => !SKIPPED_IN_DRY_RUN.has(title));

describe("a create with one field changed gives equal responses", () => {
  test.for(all)("$title", { timeout: 120_000 }, async ({ kind, collection, object }) => {
    const path = `${collection}?dryRun=All`;
    for (const { name, object: body } of sample(kind, listMutations(object))) {
      const [theirs, mine] = await sendToBoth({ method: "POST", path, body }, { method: "POST", path, body });
      expect(normalizeLoosely(mine), name).toEqual(normalizeLoosely(theirs));
    }
  });
});

describe("an update with one field changed gives equal responses", () => {
  test.for(all.filter(({ kind }) => !CONTROLLER_WRITTEN_KINDS.has(kind)))("$title", { timeout: 120_000 }, async (good) => {
    const created = await sendToBoth({ method: "POST", path: good.collection, body: good.object });
    if (created.some(({ code }) => code !== 201)) return;
    const path = `${good.collection}/${(created[0].body["metadata"] as JsonObject)["name"]}`;
    const [theirs, mine] = created.map(({ body }) => [...sample(good.kind, listMutations(writablePart(body)))]) as [Mutation[], Mutation[]];
    for (const [i, { name, object }] of theirs.entries()) {
      const put = (body: JsonObject, { body: stored }: ServerResponse) => ({
        method: "PUT",
        path: `${path}?dryRun=All`,
        body: withVersion(body, stored),
      });
      const [real, our] = await sendToBoth(put(object, created[0]), put(mine[i]!.object, created[1]));
      expect(normalizeLoosely(our), name).toEqual(normalizeLoosely(real));
    }
    await sendToBoth({ method: "DELETE", path, body: { gracePeriodSeconds: 0, propagationPolicy: "Background" } });
  });
});

type SentRequest = Parameters<SendRequest>[0];

async function sendToBoth(toReal: SentRequest, toEmbedded: SentRequest = toReal): Promise<readonly [ServerResponse, ServerResponse]> {
  return [await sendToReal(toReal), await sendToEmbedded(toEmbedded)];
}

function* sample(kind: ValidObject["kind"], found: Iterable<Mutation>): Generator<Mutation> {
  let index = seed;
  for (const mutation of found) if (!KNOWN_DIFFERENCES[kind]?.test(mutation.name) && index++ % SAMPLE_STRIDE === 0) yield mutation;
}

/** The fields that a client may change, sorted. */
function writablePart({ status: _, ...body }: JsonObject): JsonObject {
  const { uid, creationTimestamp, managedFields, resourceVersion, generation, ...metadata } = body["metadata"] as JsonObject;
  return sortKeys({ ...body, metadata }) as JsonObject;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sortKeys(field)]),
  );
}

function withVersion(object: JsonObject, stored: JsonObject): JsonObject {
  const { resourceVersion } = stored["metadata"] as JsonObject;
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), resourceVersion } } as JsonObject;
}
