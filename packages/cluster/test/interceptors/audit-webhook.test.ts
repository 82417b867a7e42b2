import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { virtualClock } from "pintle/internal/clock";
import { ConfigMap } from "pintle/kinds/core/v1";
import { expect, test, vi } from "vitest";
import { startCluster } from "../../src/index.ts";
import { type AuditWebhookOptions, openAuditWebhook, type PostEvents } from "../../src/interceptors/audit/webhook.ts";

interface Sent {
  readonly items: readonly number[];
  readonly at: number;
}

/** A webhook on virtual time; the backend fails as often as `failures` says. */
function open(options: Omit<AuditWebhookOptions, "config">, failures = 0) {
  const clock = virtualClock(0);
  const sent: Sent[] = [];
  const attempts: number[] = [];
  const problems: string[] = [];
  const post: PostEvents = async (list) => {
    attempts.push(clock.monotonic());
    if (attempts.length <= failures) throw new Error("no backend");
    expect(list).toMatchObject({ kind: "EventList", apiVersion: "audit.k8s.io/v1" });
    sent.push({ items: (list as { readonly items: readonly number[] }).items, at: clock.monotonic() });
  };
  const webhook = openAuditWebhook(options, post, clock, (problem) => problems.push(problem));
  const append = (from: number, to: number) => {
    for (let n = from; n <= to; n++) webhook.append(`${n}\n`);
  };
  return { clock, sent, attempts, problems, webhook, append };
}

test("sends a batch when it is full, and what is left after a while", async () => {
  const { clock, sent, append } = open({ maxBatchSize: 3, maxBatchWait: 1000 });
  append(1, 7);
  await clock.advance(0);
  expect(sent.map(({ items }) => items)).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  await clock.advance(1000);
  expect(sent.at(-1)).toEqual({ items: [7], at: 1000 });
  append(8, 8);
  await clock.advance(500);
  append(9, 10);
  await clock.advance(0);
  expect(sent.at(-1)).toEqual({ items: [8, 9, 10], at: 1500 });
});

test("retries with backoff, and gives a batch up after five attempts", async () => {
  const { clock, sent, attempts, problems, append } = open({ maxBatchSize: 1, initialBackoff: 1000 }, 6);
  append(1, 2);
  await clock.advance(60_000);
  expect(attempts).toHaveLength(7);
  const pauses = attempts.slice(1, 5).map((at, index) => at - (attempts[index] as number));
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(1000 * 1.5 ** index);
    expect(pause).toBeLessThan(1200 * 1.5 ** index + 1);
  }
  expect(problems).toEqual(["cannot send 1 audit events to the webhook: no backend"]);
  expect(sent.map(({ items }) => items)).toEqual([[2]]);
});

test("drops events while the buffer is full, and says how many", async () => {
  const { clock, sent, problems, append } = open({ bufferSize: 4, maxBatchSize: 4, initialBackoff: 1000 }, 1);
  append(1, 4);
  await clock.advance(0);
  // The first batch is retried: four more may wait.
  append(5, 20);
  await clock.advance(10_000);
  expect(sent.flatMap(({ items }) => items)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(problems).toEqual(["the buffer for the audit webhook was full: 12 events are lost"]);
});

test("limits the number of requests", async () => {
  const { clock, sent, append } = open({ maxBatchSize: 1, throttleQps: 2, throttleBurst: 3 });
  append(1, 6);
  await clock.advance(10_000);
  expect(sent.map(({ at }) => at)).toEqual([0, 0, 0, 500, 1000, 1500]);
});

test("sends what is buffered when it is closed", async () => {
  const { sent, webhook, append } = open({ maxBatchWait: 60_000 });
  append(1, 3);
  await webhook.close();
  webhook.append("4\n");
  expect(sent.map(({ items }) => items)).toEqual([[1, 2, 3]]);
});

test("a cluster sends its events to the backend that a kubeconfig names, and does not wait for it", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-audit-"));
  const requests: { readonly url: string | undefined; readonly token: string | undefined; readonly body: any }[] = [];
  const backend = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    requests.push({ url: request.url, token: request.headers.authorization, body: JSON.parse(body) });
    response.end("{}");
  });
  await once(backend.listen(0, "127.0.0.1"), "listening");
  const config = path.join(folder, "webhook.yaml");
  const server = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/audit`;
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "audit", cluster: { server } }],
    users: [{ name: "audit", user: { token: "secret" } }],
    contexts: [{ name: "audit", context: { cluster: "audit", user: "audit" } }],
    "current-context": "audit",
  };
  writeFileSync(config, JSON.stringify(kubeconfig));
  const rules = [{ level: "Request", resources: [{ resources: ["configmaps"] }] }, { level: "None" }] as const;
  const cluster = await startCluster({ without: true, audit: { webhook: { config }, policy: { rules, omitStages: ["RequestReceived"] } } });
  await cluster.client().create(ConfigMap, { metadata: { name: "a", namespace: "default" } });
  await cluster.stop();
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ url: "/audit", token: "Bearer secret", body: { kind: "EventList" } });
  expect(requests[0]?.body.items).toMatchObject([{ kind: "Event", verb: "create", stage: "ResponseComplete", objectRef: { name: "a" } }]);

  // The backend is gone: requests go on.
  backend.close();
  const log = vi.spyOn(console, "error").mockReturnValue();
  const lonely = await startCluster({ without: true, audit: { webhook: { config, maxBatchSize: 1 }, policy: { rules } } });
  for (let n = 0; n < 20; n++) await lonely.client().create(ConfigMap, { metadata: { name: `a${n}`, namespace: "default" } });
  await lonely.stop();
  expect(log.mock.calls.flat().join()).toContain("audit events to the webhook");
  log.mockRestore();
  rmSync(folder, { recursive: true });
});
