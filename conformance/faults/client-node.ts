/**
 * What @kubernetes/client-node sees of an API server that fails: a word per line of stdin is done, and what was seen goes to
 * stdout. The server comes as KUBECONFIG.
 */
import { createInterface } from "node:readline";
import { ApiException, CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions, Watch } from "@kubernetes/client-node";
import type { Seen } from "./program.ts";

/** So long after the last write a watch that is silent is taken to stay so. */
const SILENCE = 1500;
const namespace = "default";
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);

const patch = (i: string) =>
  core.patchNamespacedConfigMap(
    { namespace, name: "a", body: { data: { i } } },
    setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  );

const DEEDS: Readonly<Record<string, () => Promise<Omit<Seen, "ms">>>> = {
  write: () => outcome(patch("0")),
  create: () => outcome(core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "b" } } })),
  list: () => outcome(core.listNamespacedConfigMap({ namespace })),
  watch: follow,
};

async function outcome(request: Promise<unknown>): Promise<Omit<Seen, "ms">> {
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
async function follow(): Promise<Omit<Seen, "ms">> {
  const listed = await core.listNamespacedConfigMap({ namespace });
  const events: string[] = [];
  let silent = Number.POSITIVE_INFINITY;
  let first = 0;
  let span = 0;
  let end: Omit<Seen, "ms"> | undefined;
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
      silent = Date.now() + SILENCE;
    });
  while (end === undefined && Date.now() < silent) await new Promise((turn) => setTimeout(turn, 20));
  await changing;
  watching.abort();
  return { ...(end ?? { ok: true, end: "open" }), events, span };
}

for await (const word of createInterface({ input: process.stdin })) {
  const started = performance.now();
  const seen = await DEEDS[word]!();
  process.stdout.write(`${JSON.stringify({ ...seen, ms: Math.round(performance.now() - started) })}\n`);
}
process.exit(0);
