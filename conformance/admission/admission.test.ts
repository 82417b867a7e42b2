import { readFile } from "node:fs/promises";
import { startCluster } from "@pintle/cluster";
import { seeded } from "pintle/queue";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { target } from "../api/target.ts";
import { startControlPlane } from "../real/index.ts";
import { full, seed } from "../sampling.ts";
import { auditLog, type Notes, notes } from "./audit.ts";
import type { Case } from "./case.ts";
import { chapters } from "./cases/index.ts";
import { type HookServer, hookServer } from "./hook-server.ts";
import { inLanes, namespaceOf, type Outcome, type Player, play, prepare } from "./play.ts";

/** The same webhooks, policies and requests for a real API server and ours: the same answers, and the same questions to webhooks. */
const whole = Object.entries(chapters).flatMap(([chapter, cases]) => cases.map((each) => ({ chapter, ...each })));
const LEAST = 150;
const SAMPLE = 200;
/** All cases are played before the first is looked at. */
const PATIENCE = 600_000;
const random = seeded(seed);
const table = full
  ? whole
  : whole
      .map((each) => ({ each, place: random() }))
      .sort((a, b) => a.place - b.place)
      .slice(0, SAMPLE)
      .map(({ each }) => each);
const stop: (() => Promise<void>)[] = [];
let players: readonly Player[];
let hooks: HookServer;
const outcomes = new Map<string, Outcome>();
/** What auditors were told. */
const noted = new Map<string, readonly Notes[]>();

beforeAll(async () => {
  hooks = await hookServer();
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
  const audit = await auditLog();
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
  const nothing = async () => {};
  players = [
    { name: "real", target: target(await readFile(plane.kubeconfig, "utf8"), nothing) },
    { name: "ours", target: target(cluster.kubeconfig, nothing) },
  ];
  await Promise.all(players.map((player) => prepare(player, table, hooks)));
  await Promise.all(players.map((player) => inLanes(table, (each, index) => playOne(player, each, index))));
  const audited = await audit.read(players[0]!.target);
  const journal = cluster.journal.entries;
  for (const [index, { title }] of table.entries()) {
    const namespace = namespaceOf(index);
    noted.set(`real ${title}`, audited(namespace));
    const own = journal.filter((entry) => entry.namespace === namespace);
    noted.set(
      `ours ${title}`,
      own.flatMap(({ annotations }) => notes(annotations)),
    );
  }
}, PATIENCE);
afterAll(async () => {
  for (const { target: each } of players ?? []) await each.close();
  for (const each of stop.reverse()) await each();
});

async function playOne(player: Player, each: Case, index: number): Promise<void> {
  outcomes.set(`${player.name} ${each.title}`, await play(player, each, index, hooks));
}

const played = Object.keys(chapters)
  .map((name) => ({ name, titles: table.filter(({ chapter }) => chapter === name).map(({ title }) => title) }))
  .filter(({ titles }) => titles.length > 0);
describe.each(played)("$name", ({ titles }) => {
  test.each(titles)("%s", (title) => {
    expect(outcomes.get(`ours ${title}`)).toEqual(outcomes.get(`real ${title}`));
    expect(noted.get(`ours ${title}`)).toEqual(noted.get(`real ${title}`));
  });
});

test("the table is long enough, and every case is there once", () => {
  expect(table.length).toBeGreaterThanOrEqual(LEAST);
  const all = whole.map(({ title }) => title);
  expect(all.filter((title, index) => all.indexOf(title) !== index)).toEqual([]);
});
