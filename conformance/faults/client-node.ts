/**
 * Runs an action per line of stdin with @kubernetes/client-node against a failing API server and prints the results to
 * stdout. KUBECONFIG names the server.
 */
import { createInterface } from "node:readline";
import { ApiException, CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions, Watch } from "@kubernetes/client-node";
import type { ClientResult } from "./program.ts";

/** A watch without events for this long after the last write is considered idle. */
const SILENCE_MS = 1500;
const namespace = "default";
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);

const patch = (i: string) =>
  core.patchNamespacedConfigMap(
    { namespace, name: "a", body: { data: { i } } },
    setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  );

const ACTIONS: Readonly<Record<string, () => Promise<Omit<ClientResult, "ms">>>> = {
  write: () => toResult(patch("0")),
  create: () => toResult(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "b" } } })),
  list: () => toResult(core.listNamespacedConfigMap({ namespace })),
  watch: watchChanges,
};

async function toResult(request: Promise<unknown>): Promise<Omit<ClientResult, "ms">> {
  try {
    await request;
    return { ok: true };
  } catch (error) {
    if (!(error instanceof ApiException)) return { ok: false, broken: true };
    return { ok: false, ...statusOf(typeof error.body === "string" ? JSON.parse(error.body) : error.body) };
  }
}

interface Status {
  readonly code: number;
  readonly reason: string;
  readonly details?: { readonly retryAfterSeconds?: number };
}
const statusOf = ({ code, reason, details }: Status) => ({
  code,
  reason,
  ...(details?.retryAfterSeconds === undefined ? {} : { retryAfter: details.retryAfterSeconds }),
});

/** Watches while the object is changed three times. */
async function watchChanges(): Promise<Omit<ClientResult, "ms">> {
  const listed = await core.listNamespacedConfigMap({ namespace });
  const events: string[] = [];
  let silent = Number.POSITIVE_INFINITY;
  let first = 0;
  let span = 0;
  let end: Omit<ClientResult, "ms"> | undefined;
  const watching = await new Watch(config).watch(
    `/api/v1/namespaces/${namespace}/configmaps`,
    { resourceVersion: listed.metadata?.resourceVersion },
    (type, object) => {
      if (type === "ERROR") end ??= { ok: false, ...statusOf(object as unknown as Status) };
      else if (type !== "BOOKMARK") {
        if (events.push(object.data?.i ?? "") === 1) first = performance.now();
        span = Math.round(performance.now() - first);
      }
    },
    () => {
      end ??= { ok: true, end: "ended" };
    },
  );
  const changing = (async () => {
    for (const i of ["1", "2", "3"]) await patch(i);
  })()
    .catch(() => {})
    .finally(() => {
      silent = Date.now() + SILENCE_MS;
    });
  while (end === undefined && Date.now() < silent) await new Promise((turn) => setTimeout(turn, 20));
  await changing;
  watching.abort();
  return { ...(end ?? { ok: true, end: "open" }), events, span };
}

for await (const word of createInterface({ input: process.stdin })) {
  const started = performance.now();
  const seen = await ACTIONS[word]!();
  process.stdout.write(`${JSON.stringify({ ...seen, ms: Math.round(performance.now() - started) })}\n`);
}
process.exit(0);
