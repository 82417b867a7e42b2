import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "@pintle/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startControlPlane } from "../real/index.ts";
import { last, threads } from "./cases/index.ts";
import { comparable } from "./comparable.ts";
import { differences, without } from "./differences.ts";
import { statements } from "./statements.ts";
import { type Ground, numbersOf, widgetCrd } from "./step.ts";
import { type Target, target } from "./target.ts";

/** The same requests, in the same order, to a real API server and to ours: the answers must be the same. */
const word = `c${Date.now().toString(36)}`;
const grounds = [...threads, last].map((_, index) => groundOf(`api-${word}-${index}`));
const LEAST = 3;
const MOST_DIFFERENCES = 20;
const allowed = new Map(differences().map((each) => [each.title, each]));

let real: Target;
let ours: Target;
const stop: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const controlPlane = await startControlPlane({
    controllerManager: false,
    // They wait for controllers that do not run here.
    disableAdmissionPlugins: ["ServiceAccount", "StorageObjectInUseProtection", "TaintNodesByCondition"],
    // Otherwise old lists come from a cache that forgets only after a while: nothing would ever be too old.
    serverFlags: ["--feature-gates=ListFromCacheSnapshot=false"],
  });
  const cluster = await startCluster({ without: true, http: true });
  real = target(await readFile(controlPlane.kubeconfig, "utf8"), (revision) => compactEtcd(controlPlane.etcd, revision));
  ours = target(cluster.kubeconfig, (revision) => cluster.server.store.compact(revision));
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
    for (const { namespace } of grounds) await each.send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  }
  begin();
});
afterAll(async () => {
  for (const each of stop) await each();
});

type Outcome = readonly [theirs: unknown, mine: unknown];
let begin = () => {};
const ready = new Promise<void>((resolve) => {
  begin = resolve;
});
const book = [...threads, last].map((chapters, index) =>
  Object.entries(chapters).map(([name, cases]) => ({ name, cases: cases(grounds[index] as Ground) })),
);
const ends = book.slice(0, -1).map((chapters) => play(chapters, ready));
const outcomes = new Map(
  [...ends, play(book.at(-1) as (typeof book)[number], Promise.all(ends.map(({ end }) => end)))].flatMap((each) => [...each.outcomes]),
);

/** Every case once the one before it is done, on both servers. */
function play(chapters: (typeof book)[number], after: Promise<unknown>) {
  const outcomes = new Map<string, Promise<Outcome>>();
  let before = after;
  for (const [title, run] of chapters.flatMap(({ cases }) => cases)) {
    const outcome = before.then(() => Promise.all([run(real), run(ours)]));
    outcomes.set(title, outcome);
    before = outcome.catch(() => {});
  }
  return { outcomes, end: before };
}

describe.each(book.flat())("$name", ({ cases }) => {
  test.each(cases.map(([title]) => title))("%s", async (title) => {
    const [theirs, mine] = ((await outcomes.get(title)) as Outcome).map(comparable);
    const difference = allowed.get(title);
    if (difference === undefined) return expect(mine).toEqual(theirs);
    expect(mine, "docs/fidelity.md lists a difference that is none").not.toEqual(theirs);
    expect(without(difference.part, mine)).toEqual(without(difference.part, theirs));
  });
});

describe("the book", () => {
  const titles = book.flat().flatMap(({ cases }) => cases.map(([title]) => title));
  test.each(statements.filter(({ issue }) => issue === undefined))("$number has cases: $says", ({ number }) => {
    expect(titles.filter((title) => numbersOf(title).includes(number)).length).toBeGreaterThanOrEqual(LEAST);
  });
  test("every case is about a statement of ours, and is there once", () => {
    const known = new Set(statements.filter(({ issue }) => issue === undefined).map(({ number }) => number));
    expect(titles.filter((title) => numbersOf(title).length === 0 || numbersOf(title).some((number) => !known.has(number)))).toEqual([]);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });
  test("is long enough, and the list of differences short", () => {
    expect(titles.length).toBeGreaterThan(400);
    expect(allowed.size).toBeLessThanOrEqual(MOST_DIFFERENCES);
    expect([...allowed.keys()].filter((title) => !titles.includes(title))).toEqual([]);
  });
});

function groundOf(namespace: string): Ground {
  return {
    word,
    namespace,
    configMaps: `/api/v1/namespaces/${namespace}/configmaps`,
    widgets: `/apis/example.com/v1/namespaces/${namespace}/widgets`,
  };
}

async function compactEtcd(etcd: string, revision: number): Promise<void> {
  const response = await fetch(`${etcd}/v3/kv/compaction`, { method: "POST", body: JSON.stringify({ revision }) });
  if (!response.ok) throw new Error(`etcd does not compact: ${await response.text()}`);
}
