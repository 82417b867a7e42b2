/** Runs user actions on the embedded cluster and on a real control plane and compares objects, owners, status, conditions, events and managers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { full } from "../sampling.ts";
import { runScenario, type ScenarioResult, waitForEvents } from "./run-scenario.ts";
import type { Scenario, ScenarioStep } from "./scenario.ts";
import { scenarios } from "./scenarios/index.ts";
import { type ControllersServer, startEmbedded, startReal } from "./servers.ts";

type ResultPair = readonly [ours: ScenarioResult, theirs: ScenarioResult];
const selected = scenarios.filter(({ sample }) => full || sample);
let servers: readonly ControllersServer[] = [];
/** Results by scenario. Scenarios run in parallel, each in its namespace; exclusive ones run last, one after the other. */
let results: ReadonlyMap<string, Promise<ResultPair>> = new Map();
/** Events by scenario, read once no more are recorded. */
const eventsByScenario = new Map<string, readonly (readonly string[])[]>();
let eventsCollected: Promise<unknown> = Promise.resolve();

async function collectEvents(scenes: readonly (readonly [name: string, playing: Promise<ResultPair>])[]): Promise<void> {
  await Promise.all(servers.map(waitForEvents));
  for (const [name, playing] of scenes) {
    const both = await playing.catch(() => undefined);
    if (both !== undefined) eventsByScenario.set(name, await Promise.all(both.map(({ events }) => events())));
  }
}

beforeAll(async () => {
  const [ours, theirs] = await Promise.all([startEmbedded(), startReal()]);
  servers = [ours, theirs];
  const runOnBoth = (scenario: Scenario): Promise<ResultPair> => Promise.all([runScenario(ours, scenario), runScenario(theirs, scenario)]);
  const parallel = selected.filter(({ exclusive }) => !exclusive).map((scenario) => [scenario.name, runOnBoth(scenario)] as const);
  let last: Promise<unknown> = Promise.allSettled(parallel.map(([, each]) => each)).then(() => collectEvents(parallel));
  const others = selected
    .filter(({ exclusive }) => exclusive)
    .map((scenario) => {
      const result = last.then(() => runOnBoth(scenario));
      last = result.then(
        () => collectEvents([[scenario.name, result]]),
        () => {},
      );
      return [scenario.name, result] as const;
    });
  results = new Map([...parallel, ...others]);
  eventsCollected = last;
  // Each rejection is reported by its own test.
  for (const each of [eventsCollected, ...results.values()]) each.catch(() => {});
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

describe.each(selected)("$name", ({ name, steps }) => {
  test.each(steps)(
    "$name",
    async (step) => {
      const [ours, theirs] = (await results.get(name)!).map(({ snapshots }) =>
        snapshots.get(step.name)?.map((text) => maskRaces(text, step)),
      );
      expect(ours).toBeDefined();
      expect(ours).toEqual(theirs);
    },
    300_000,
  );
});

const maskRaces = (text: string, { raceDependent }: ScenarioStep) =>
  raceDependent === undefined ? text : text.replace(raceDependent, "<race>");

describe("events", () => {
  test.each(selected)(
    "$name",
    async ({ name, raceDependentEvents = [] }) => {
      await eventsCollected;
      const [ours, theirs] = (eventsByScenario.get(name) ?? []).map((events) =>
        events.filter((event) => !raceDependentEvents.some((reason) => event.includes(` ${reason} `))),
      );
      expect(ours).toBeDefined();
      expect(ours).toEqual(theirs);
    },
    300_000,
  );
});
