import { readFile } from "node:fs/promises";
import { startCluster } from "@pintle/cluster";
import { seededRandom } from "pintle/internal/clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTarget } from "../api/target.ts";
import { startControlPlane } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { type AuditAnnotations, createAuditLog, selectConfigured } from "./audit.ts";
import type { Case } from "./case.ts";
import { caseGroups } from "./cases/index.ts";
import { type HookServer, startHookServer } from "./hook-server.ts";
import { type CaseOutcome, namespaceOf, prepareCases, runCase, runConcurrently, type ServerUnderTest } from "./run-case.ts";

/** Runs the same webhooks, policies and requests on a real API server and the embedded one and compares responses and admission reviews. */
const allCases = Object.entries(caseGroups).flatMap(([chapter, cases]) => cases.map((each) => ({ chapter, ...each })));
const MIN_CASES = 150;
const SAMPLE = 200;
/** All cases run before the first assertion. */
const SETUP_TIMEOUT_MS = 600_000;
const random = seededRandom(seed);
const cases = full
  ? allCases
  : allCases
      .map((each) => ({ each, place: random() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, SAMPLE)
      .map(({ each }) => each);
const stop: (() => Promise<void>)[] = [];
let servers: readonly ServerUnderTest[];
let hooks: HookServer;
const outcomes = new Map<string, CaseOutcome>();
/** Audit annotations by server and case title. */
const annotationsByCase = new Map<string, readonly AuditAnnotations[]>();

beforeAll(async () => {
  hooks = await startHookServer();
  stop.push(() => hooks.close());
  const disabled = ["ServiceAccount", "StorageObjectInUseProtection", "TaintNodesByCondition"];
  const enabled = [
    "DenyServiceExternalIPs",
    "ExtendedResourceToleration",
    "LimitPodHardAntiAffinityTopology",
    "NodeRestriction",
    "OwnerReferencesPermissionEnforcement",
    "PodNodeSelector",
    "PodTolerationRestriction",
  ];
  const audit = await createAuditLog();
  stop.push(async () => audit[Symbol.asyncDispose]());
  const plane = await startControlPlane({
    controllerManager: false,
    disableAdmissionPlugins: disabled,
    enableAdmissionPlugins: enabled,
    serverFlags: audit.flags,
  });
  stop.push(() => plane.stop());
  const cluster = await startCluster({ without: true, http: true, admissionPlugins: { enable: enabled } });
  stop.push(() => cluster.stop());
  const doNothing = async () => {};
  servers = [
    { name: "real", target: createTarget(await readFile(plane.kubeconfig, "utf8"), doNothing) },
    { name: "ours", target: createTarget(cluster.kubeconfig, doNothing) },
  ];
  await Promise.all(servers.map((player) => prepareCases(player, cases, hooks)));
  await Promise.all(servers.map((player) => runConcurrently(cases, (each, index) => runAndStore(player, each, index))));
  const audited = await audit.read(servers[0]!.target);
  const journal = cluster.journal.entries;
  for (const [index, { title }] of cases.entries()) {
    const namespace = namespaceOf(index);
    annotationsByCase.set(`real ${title}`, audited(namespace));
    const own = journal.filter((entry) => entry.namespace === namespace);
    annotationsByCase.set(
      `ours ${title}`,
      own.flatMap(({ annotations }) => selectConfigured(annotations)),
    );
  }
}, SETUP_TIMEOUT_MS);
afterAll(async () => {
  for (const { target: each } of servers ?? []) await each.close();
  for (const each of stop.reverse()) await each();
});

async function runAndStore(player: ServerUnderTest, each: Case, index: number): Promise<void> {
  outcomes.set(`${player.name} ${each.title}`, await runCase(player, each, index, hooks));
}

const groups = Object.keys(caseGroups)
  .map((name) => ({ name, titles: cases.filter(({ chapter }) => chapter === name).map(({ title }) => title) }))
  .filter(({ titles }) => titles.length > 0);
describe.each(groups)("$name", ({ titles }) => {
  test.each(titles)("%s", (title) => {
    expect(outcomes.get(`ours ${title}`)).toEqual(outcomes.get(`real ${title}`));
    expect(annotationsByCase.get(`ours ${title}`)).toEqual(annotationsByCase.get(`real ${title}`));
  });
});

test("there are enough cases, and titles are unique", () => {
  expect(cases.length).toBeGreaterThanOrEqual(MIN_CASES);
  const all = allCases.map(({ title }) => title);
  expect(all.filter((title, index) => all.indexOf(title) !== index)).toEqual([]);
});
