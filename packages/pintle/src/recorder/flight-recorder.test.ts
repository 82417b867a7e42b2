import { expect, test } from "vitest";
import { seededRandom, virtualClock } from "../clock/index.ts";
import { createFlightRecorder } from "./flight-recorder.ts";
import { createRunRecorder, runIdOfAuditId } from "./run-recorder.ts";

const clock = virtualClock(1_000);
const drop = (key: string) => ({ type: "drop", controller: "c", reason: "predicate", key }) as const;

test("keeps the newest facts within maxBytes, numbers them without gaps, and counts the dropped ones", () => {
  const recorder = createFlightRecorder({ maxBytes: 2_000, clock, random: seededRandom(1) });
  for (let i = 0; i < 5_000; i++) {
    recorder.record(drop(`key-${i}-ü`));
    expect(recorder.bytes).toBeLessThanOrEqual(2_000);
  }
  const facts = recorder.facts();
  expect(facts.at(-1)).toMatchObject({ sequence: 5_000, time: 1_000, key: "key-4999-ü" });
  expect(facts.map(({ sequence }) => sequence)).toEqual(facts.map((_, i) => 5_000 - facts.length + 1 + i));
  expect(recorder.dropped + facts.length).toBe(5_000);
  expect(Buffer.byteLength(recorder.text())).toBe(recorder.bytes);
});

test("maxBytes 0 keeps nothing, and onFact receives every line", () => {
  const lines: string[] = [];
  const recorder = createFlightRecorder({ maxBytes: 0, clock, onFact: (line) => lines.push(line) });
  recorder.record(drop("a"));
  expect([recorder.facts(), recorder.bytes, recorder.text()]).toEqual([[], 0, ""]);
  const other = createFlightRecorder({ clock });
  other.record(drop("b"));
  other.append(lines[0]!);
  expect(other.facts()).toMatchObject([
    { sequence: 1, key: "b" },
    { sequence: 2, key: "a" },
  ]);
});

test("merges the events of one object into one cause with its first and last version, and keeps other causes apart", () => {
  const recorder = createFlightRecorder({ clock });
  const runs = createRunRecorder(recorder, { controller: "c", now: () => clock.monotonic() });
  const pod = (name: string, resourceVersion: string | undefined, event: "modified" | "deleted" = "modified") =>
    ({ event, source: "pods", object: { kind: "Pod", namespace: "d", name, uid: name, resourceVersion } }) as const;
  for (const version of ["5", "6", "9"]) runs.enqueue("d/a", pod("p", version));
  runs.enqueue("d/a", pod("q", "7"));
  runs.enqueue("d/a", pod("p", undefined, "deleted"));
  runs.enqueue("d/b", pod("p", "5"));
  const run = runs.begin("d/a", 3);
  expect(run.causes).toEqual([{ ...pod("p", "9"), first: "5" }, pod("q", "7"), pod("p", undefined, "deleted")]);
  expect(recorder.facts().at(-1)).toMatchObject({ type: "run", id: run.id, result: "running" });
  runs.enqueue("d/a", pod("r", "10"));
  run.absorb();
  run.end({ result: "error", duration: 1, error: "no" });
  expect(recorder.facts().at(-1)).toMatchObject({ type: "run", result: "error", error: "no", causes: { length: 4 } });
  expect(runs.begin("d/a", 0).causes).toEqual([{ event: "retry", run: run.id }]);
});

test("the audit id of a write names its run; ids of other clients name none", () => {
  const recorder = createFlightRecorder({ clock, random: () => 0.5 });
  const run = createRunRecorder(recorder, { controller: "c", now: () => 0 }).begin("a", 0);
  expect([run.nextAuditId(), run.nextAuditId()]).toEqual(["80000000-1.1", "80000000-1.2"]);
  expect(runIdOfAuditId("80000000-1.2")).toBe("80000000-1");
  for (const other of ["", "0f7bd2a5-2f0c-4b5a-8d0b-3d7b9c1f0e11", "80000000-1", "x-1.1"]) expect(runIdOfAuditId(other)).toBeUndefined();
});
