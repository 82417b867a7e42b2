import { request } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { createClient } from "../src/client/index.ts";
import { seededRandom, virtualClock } from "../src/clock/index.ts";
import { controller, silentLogger } from "../src/controller/index.ts";
import { type Manager, startManager } from "../src/manager/index.ts";
import { defineResource } from "../src/resource/index.ts";
import { webhook } from "../src/webhook/index.ts";
import { createFakeApiServer, statusResponse } from "./fakes/api-server.ts";

const Thing = defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: z.object({ n: z.int().default(0) }) });
const things = controller(Thing, { name: "things", reconcile() {} });
const hook = webhook(Thing, { validate: ({ object }) => (object.spec.n > 1 ? [{ field: "spec.n", message: "at most 1" }] : []) });

const review = (n: number) =>
  JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u",
      kind: { group: "example.com", version: "v1", kind: "Thing" },
      operation: "CREATE",
      object: { metadata: { name: "a" }, spec: { n } },
    },
  });
function sendReview(port: number, n: number): Promise<any> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const path = "/validate-example-com-v1-thing";
    const sending = request(
      { host: "127.0.0.1", port, path, method: "POST", headers, rejectUnauthorized: false, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve(JSON.parse(text).response));
      },
    );
    sending.on("error", reject).end(review(n));
  });
}

function setup() {
  const clock = virtualClock();
  const server = createFakeApiServer({ clock });
  const client = createClient(server.transport, { clock: clock, random: seededRandom(1), onWarning: () => {} });
  const manage = (): Manager => {
    const manager = startManager({
      controllers: [things],
      webhooks: [hook],
      webhookServer: { address: "127.0.0.1:0" },
      health: "127.0.0.1:0",
      client,
      clock,
      random: seededRandom(2),
      logger: silentLogger,
    });
    onTestFinished(async () => {
      const stopping = manager.stop();
      await clock.advance(60_000);
      await stopping;
    });
    return manager;
  };
  return { clock, server, manage };
}

test("RT-25 webhooks respond before caches have synced, and while they do not sync", async () => {
  const { clock, server, manage } = setup();
  server.intercept = (received) => (received.path.includes("things") ? statusResponse(500, "InternalError") : undefined);
  const manager = manage();
  await expect.poll(() => manager.ports.webhooks).toBeGreaterThan(0);
  expect(await sendReview(manager.ports.webhooks!, 1)).toEqual({ uid: "u", allowed: true });
  const readyz = await fetch(`http://127.0.0.1:${manager.ports.health}/readyz?verbose`);
  expect(await readyz.text()).toBe("[+]ping ok\n[+]webhooks ok\n[-]caches failed: reason withheld\nreadyz check failed\n");
  server.intercept = undefined;
  await clock.advance(30_000);
  await manager.ready;
  expect((await sendReview(manager.ports.webhooks!, 2)).status.message).toBe(
    'Thing.example.com "a" is invalid: spec.n: Invalid value: 2: at most 1',
  );
  expect(manager.metrics.render()).toContain(
    'controller_runtime_webhook_requests_total{webhook="/validate-example-com-v1-thing",code="422"} 1',
  );
});

test("stop closes the webhook port", async () => {
  const { clock, manage } = setup();
  const manager = manage();
  await manager.ready;
  const { webhooks } = manager.ports;
  const stopping = manager.stop();
  await clock.advance(60_000);
  await stopping;
  await expect(sendReview(webhooks!, 1)).rejects.toThrow("ECONNREFUSED");
});
