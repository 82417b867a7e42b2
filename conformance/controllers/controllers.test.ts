/** What a user does, on the embedded cluster and on a real control plane: objects, owners, status, conditions, events, managers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { full } from "../sampling.ts";
import { type Played, play, saidAll } from "./play.ts";
import type { Scenario, Step } from "./scenario.ts";
import { scenarios } from "./scenarios/index.ts";
import { embedded, real, type Server } from "./servers.ts";

type Both = readonly [ours: Played, theirs: Played];
const wanted = scenarios.filter(({ sample }) => full || sample);
let servers: readonly Server[] = [];
/** By scenario. They play at once, each in its namespace; those that change what all share come last, one after the other. */
let played: ReadonlyMap<string, Promise<Both>> = new Map();
/** By scenario: what was said, once nothing more was. */
const heard = new Map<string, readonly (readonly string[])[]>();
let silence: Promise<unknown> = Promise.resolve();

async function listen(scenes: readonly (readonly [name: string, playing: Promise<Both>])[]): Promise<void> {
  await Promise.all(servers.map(saidAll));
  for (const [name, playing] of scenes) {
    const both = await playing.catch(() => undefined);
    if (both !== undefined) heard.set(name, await Promise.all(both.map(({ events }) => events())));
  }
}

beforeAll(async () => {
  const [ours, theirs] = await Promise.all([embedded(), real()]);
  servers = [ours, theirs];
  const playing = (scenario: Scenario): Promise<Both> => Promise.all([play(ours, scenario), play(theirs, scenario)]);
  const crowd = wanted.filter(({ alone }) => !alone).map((scenario) => [scenario.name, playing(scenario)] as const);
  let last: Promise<unknown> = Promise.allSettled(crowd.map(([, each]) => each)).then(() => listen(crowd));
  const others = wanted
    .filter(({ alone }) => alone)
    .map((scenario) => {
      const turn = last.then(() => playing(scenario));
      last = turn.then(
        () => listen([[scenario.name, turn]]),
        () => {},
      );
      return [scenario.name, turn] as const;
    });
  played = new Map([...crowd, ...others]);
  silence = last;
  // Each is heard by its own test.
  for (const each of [silence, ...played.values()]) each.catch(() => {});
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

describe.each(wanted)("$name", ({ name, steps }) => {
  test.each(steps)(
    "$name",
    async (step) => {
      const [ours, theirs] = (await played.get(name)!).map(({ seen }) => seen.get(step.name)?.map((text) => steady(text, step)));
      expect(ours).toBeDefined();
      expect(ours).toEqual(theirs);
    },
    300_000,
  );
});

const steady = (text: string, { racy }: Step) => (racy === undefined ? text : text.replace(racy, "<who was quicker>"));

describe("events", () => {
  test.each(wanted)(
    "$name",
    async ({ name, racyEvents = [] }) => {
      await silence;
      const [ours, theirs] = (heard.get(name) ?? []).map((events) =>
        events.filter((event) => !racyEvents.some((reason) => event.includes(` ${reason} `))),
      );
      expect(ours).toBeDefined();
      expect(ours).toEqual(theirs);
    },
    300_000,
  );
});
