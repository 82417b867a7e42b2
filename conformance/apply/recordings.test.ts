import type { JsonObject } from "pintle/kinds";
import { describe, expect, test } from "vitest";
import { after, judge } from "./history.ts";
import { readRecordings } from "./recordings.ts";
import { subjects } from "./subjects.ts";

const recordings = await readRecordings();

describe.each(subjects)("$name, as a real server answered", (subject) => {
  test.each([...(recordings[subject.name] ?? []).entries()])("history %i", (_, exchanges) => {
    let live: JsonObject | undefined;
    for (const exchange of exchanges) {
      expect(judge(subject, live, exchange), JSON.stringify({ live, step: exchange.step })).toBeUndefined();
      live = after(live, exchange);
    }
  });
});
