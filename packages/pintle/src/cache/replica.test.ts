import { beforeEach, expect, test } from "vitest";
import { type Replica, replica } from "./replica.ts";
import { type Stored, store } from "./store.ts";

const thing = (version: number, more: object = {}): Stored =>
  ({ metadata: { name: "a", namespace: "x", uid: "1", resourceVersion: String(version), ...more } }) as unknown as Stored;

let kept: ReturnType<typeof store<Stored>>;
let known: Replica<Stored>;
beforeEach(() => {
  kept = store<Stored>();
  known = replica(kept);
  known.listed([thing(5)], "10", known.mark());
});
const there = () => kept.get("x", "a")?.metadata.resourceVersion;

test("an own write is there from its answer on, and what the stream tells of it later is nothing new", () => {
  expect(known.wrote(thing(11))).toMatchObject({ event: "modified" });
  expect(known.seen("MODIFIED", thing(11))).toBeUndefined();
  expect(there()).toBe("11");
});

test("a write that took the last finalizer is answered after the stream told of the end: nothing comes back", () => {
  known.seen("DELETED", thing(11));
  expect(known.wrote(thing(11, { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBeUndefined();
  expect(there()).toBeUndefined();
});

test("neither does what somebody else deleted while our write was on its way back", () => {
  known.seen("MODIFIED", thing(11));
  known.seen("DELETED", thing(12));
  expect(known.wrote(thing(11))).toBeUndefined();
  expect(there()).toBeUndefined();
});

test("what is newer than all that the stream told is entered, also where there was one before", () => {
  known.seen("DELETED", thing(11));
  expect(known.wrote(thing(12, { uid: "2" }))).toMatchObject({ event: "added" });
  expect(there()).toBe("12");
});

test("with a stream for each namespace, one does not speak for the others", () => {
  const parts = replica(kept);
  parts.listed([], "10", parts.mark(), "x");
  parts.listed([], "30", parts.mark(), "y");
  expect(parts.wrote(thing(20))).toMatchObject({ new: { metadata: { resourceVersion: "20" } } });
});
