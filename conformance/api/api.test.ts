import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startControlPlane } from "../real/index.ts";
import { type CaseContext, statementNumbers, widgetCrd } from "./case.ts";
import { finalGroup, parallelGroups } from "./cases/index.ts";
import { toComparable } from "./comparable.ts";
import { omitPart, readDifferences } from "./differences.ts";
import { statements } from "./statements.ts";
import { createTarget, type Target } from "./target.ts";

/** Sends the same requests in the same order to a real API server and to the embedded one and compares the responses. */
const runId = `c${Date.now().toString(36)}`;
const contexts = [...parallelGroups, finalGroup].map((_, index) => buildContext(`api-${runId}-${index}`));
const MIN_CASES_PER_STATEMENT = 3;
const MAX_DIFFERENCES = 20;
const allowed = new Map(readDifferences().map((each) => [each.title, each]));

let real: Target;
let ours: Target;
const stop: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const controlPlane = await startControlPlane({
    controllerManager: false,
    // These plugins wait for controllers that do not run here.
    disableAdmissionPlugins: ["ServiceAccount", "StorageObjectInUseProtection", "TaintNodesByCondition"],
    // Otherwise lists at old revisions come from the watch cache, and no revision would be too old after a compaction.
    serverFlags: ["--feature-gates=ListFromCacheSnapshot=false"],
  });
  const cluster = await startCluster({ without: true, http: true });
  real = createTarget(await readFile(controlPlane.kubeconfig, "utf8"), (revision) => compactEtcd(controlPlane.etcd, revision));
  ours = createTarget(cluster.kubeconfig, (revision) => cluster.server.store.compact(revision));
  stop.push(
    real.close,
    ours.close,
    () => controlPlane.stop(),
    () => cluster.stop(),
  );
  for (const each of [real, ours]) {
    const defined = await each.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetCrd);
    if (defined.status !== 201) throw new Error(`the Widget CRD could not be created: ${JSON.stringify(defined.body)}`);
    while ((await each.send("GET", "/apis/example.com/v1/widgets")).status !== 200) await delay(50);
    for (const { namespace } of contexts) await each.send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  }
  start();
});
afterAll(async () => {
  for (const each of stop) await each();
});

type ResponsePair = readonly [theirs: unknown, mine: unknown];
let start = () => {};
const ready = new Promise<void>((resolve) => {
  start = resolve;
});
const groups = [...parallelGroups, finalGroup].map((chapters, index) =>
  Object.entries(chapters).map(([name, cases]) => ({ name, cases: cases(contexts[index] as CaseContext) })),
);
const runs = groups.slice(0, -1).map((chapters) => runCases(chapters, ready));
const outcomes = new Map(
  [...runs, runCases(groups.at(-1) as (typeof groups)[number], Promise.all(runs.map(({ end }) => end)))].flatMap((each) => [
    ...each.outcomes,
  ]),
);

/** Runs cases one after the other, each on both servers at once. */
function runCases(chapters: (typeof groups)[number], after: Promise<unknown>) {
  const outcomes = new Map<string, Promise<ResponsePair>>();
  let before = after;
  for (const [title, run] of chapters.flatMap(({ cases }) => cases)) {
    const responses = before.then(() => Promise.all([run(real), run(ours)]));
    outcomes.set(title, responses);
    before = responses.catch(() => {});
  }
  return { outcomes, end: before };
}

describe.each(groups.flat())("$name", ({ cases }) => {
  test.each(cases.map(([title]) => title))("%s", async (title) => {
    const [theirs, mine] = ((await outcomes.get(title)) as ResponsePair).map(toComparable);
    const difference = allowed.get(title);
    if (difference === undefined) return expect(mine).toEqual(theirs);
    expect(mine, "docs/fidelity.md lists a difference that no longer exists").not.toEqual(theirs);
    expect(omitPart(difference.part, mine)).toEqual(omitPart(difference.part, theirs));
  });
});

describe("the list of cases", () => {
  const titles = groups.flat().flatMap(({ cases }) => cases.map(([title]) => title));
  test.each(statements.filter(({ issue }) => issue === undefined))("$number has enough cases: $text", ({ number }) => {
    expect(titles.filter((title) => statementNumbers(title).includes(number)).length).toBeGreaterThanOrEqual(MIN_CASES_PER_STATEMENT);
  });
  test("every case refers to a known statement, and titles are unique", () => {
    const known = new Set(statements.filter(({ issue }) => issue === undefined).map(({ number }) => number));
    expect(
      titles.filter((title) => statementNumbers(title).length === 0 || statementNumbers(title).some((number) => !known.has(number))),
    ).toEqual([]);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });
  test("has enough cases and few documented differences", () => {
    expect(titles.length).toBeGreaterThan(400);
    expect(allowed.size).toBeLessThanOrEqual(MAX_DIFFERENCES);
    expect([...allowed.keys()].filter((title) => !titles.includes(title))).toEqual([]);
  });
});

function buildContext(namespace: string): CaseContext {
  return {
    runId,
    namespace,
    configMaps: `/api/v1/namespaces/${namespace}/configmaps`,
    widgets: `/apis/example.com/v1/namespaces/${namespace}/widgets`,
  };
}

async function compactEtcd(etcd: string, revision: number): Promise<void> {
  const response = await fetch(`${etcd}/v3/kv/compaction`, { method: "POST", body: JSON.stringify({ revision }) });
  if (!response.ok) throw new Error(`etcd compaction failed: ${await response.text()}`);
}
