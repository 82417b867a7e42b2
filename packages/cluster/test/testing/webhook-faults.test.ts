import { ServerError } from "pintle/client";
import { ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { ConfigMap } from "pintle/kinds/core/v1";
import { seededRandom, virtualClock } from "pintle/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/index.ts";

const namespace = "default";
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ clock: virtualClock(), random: seededRandom(1), without: true });
  // Allows every request.
  cluster.routeService({ namespace, name: "hook" }, async (request) => {
    const {
      apiVersion,
      kind,
      request: admissionRequest,
    } = (await request.json()) as { apiVersion: string; kind: string; request: { uid: string } };
    return Response.json({ apiVersion, kind, response: { uid: admissionRequest.uid, allowed: true } });
  });
  await cluster.client().create(ValidatingWebhookConfiguration, {
    metadata: { name: "hook" },
    webhooks: [
      {
        name: "check.example.com",
        clientConfig: { service: { namespace, name: "hook" } },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Fail",
        timeoutSeconds: 5,
      },
    ],
  });
});
afterAll(() => cluster.stop());
afterEach(() => cluster.faults.clear());

const create = () => cluster.client().create(ConfigMap, { metadata: { generateName: "a-", namespace } });
const errorOf = async (request: Promise<unknown>) => {
  const error = await request.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ServerError);
  return (error as ServerError).status?.message;
};
const meant = { webhook: "check.example.com" };

test("injects a status into one webhook call", async () => {
  cluster.faults.add({ on: meant, nth: 2, do: { status: 503 } });
  await create();
  expect(await errorOf(create())).toBe(
    'Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: the server is currently unable to handle the request',
  );
  await create();
});

test("makes a webhook unreachable", async () => {
  cluster.faults.add({ on: { webhook: /example\.com$/ }, times: 1, do: { cut: "before" } });
  expect(await errorOf(create())).toContain(
    'failed calling webhook "check.example.com": failed to call webhook: Post "https://hook.default.svc:443?timeout=5s": ',
  );
  await create();
});

test("waits for a slow webhook until its timeout", async () => {
  cluster.faults.add({ on: meant, times: 1, do: { latency: 4000 } });
  const slow = create();
  await cluster.advance(3999);
  await cluster.advance(1);
  await slow;
  cluster.faults.add({ on: meant, times: 1, do: { latency: 6000 } });
  const late = errorOf(create());
  await cluster.advance(5000);
  expect(await late).toContain("context deadline exceeded");
});

test("keeps service routes in a fork", async () => {
  await using fork = await cluster.fork();
  await fork.client().create(ConfigMap, { metadata: { name: "b", namespace } });
  using fault = fork.faults.add({ on: meant, do: { status: 500 } });
  await expect(fork.client().create(ConfigMap, { metadata: { name: "c", namespace } })).rejects.toThrow("check.example.com");
  expect(fault.hits).toBe(1);
  await create();
});
