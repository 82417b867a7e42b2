import type { JsonObject } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { comparedKinds } from "./compared-kinds.ts";
import { compareExchange, getStoredObject } from "./history.ts";
import { readRecordings } from "./recordings.ts";

const recordings = await readRecordings();

describe.each(comparedKinds)("$name gives the recorded responses of a real server", (subject) => {
  test.each([...(recordings[subject.name] ?? []).entries()])("history %i", (_, exchanges) => {
    let live: JsonObject | undefined;
    for (const exchange of exchanges) {
      expect(compareExchange(subject, live, exchange), JSON.stringify({ live, step: exchange.step })).toBeUndefined();
      live = getStoredObject(live, exchange);
    }
  });
});
