import { beforeEach, expect, test } from "vitest";
import { createReadYourWritesStore, type ReadYourWritesStore } from "./read-your-writes.ts";
import { createStore, type StoredObject } from "./store.ts";

const createObject = (version: number, more: object = {}): StoredObject =>
  ({ metadata: { name: "a", namespace: "x", uid: "1", resourceVersion: String(version), ...more } }) as unknown as StoredObject;

let kept: ReturnType<typeof createStore<StoredObject>>;
let known: ReadYourWritesStore<StoredObject>;
beforeEach(() => {
  kept = createStore<StoredObject>();
  known = createReadYourWritesStore(kept);
  known.applyList([createObject(5)], "10", known.beginList());
});
const visibleVersion = () => kept.get("x", "a")?.metadata.resourceVersion;

test("an own write is visible from its response on, and its watch event is no change", () => {
  expect(known.applyOwnWrite(createObject(11))).toMatchObject({ event: "modified" });
  expect(known.applyEvent("MODIFIED", createObject(11))).toBeUndefined();
  expect(visibleVersion()).toBe("11");
});

test("the response of a write that removed the last finalizer does not restore an object whose deletion the watch has shown", () => {
  known.applyEvent("DELETED", createObject(11));
  expect(known.applyOwnWrite(createObject(11, { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBeUndefined();
  expect(visibleVersion()).toBeUndefined();
});

test("the response of a write does not restore an object that another client deleted meanwhile", () => {
  known.applyEvent("MODIFIED", createObject(11));
  known.applyEvent("DELETED", createObject(12));
  expect(known.applyOwnWrite(createObject(11))).toBeUndefined();
  expect(visibleVersion()).toBeUndefined();
});

test("a write newer than everything the watch has delivered is stored, also under the name of a deleted object", () => {
  known.applyEvent("DELETED", createObject(11));
  expect(known.applyOwnWrite(createObject(12, { uid: "2" }))).toMatchObject({ event: "added" });
  expect(visibleVersion()).toBe("12");
});

test("with a watch per namespace, the version of one watch does not apply to the others", () => {
  const parts = createReadYourWritesStore(kept);
  parts.applyList([], "10", parts.beginList(), "x");
  parts.applyList([], "30", parts.beginList(), "y");
  expect(parts.applyOwnWrite(createObject(20))).toMatchObject({ new: { metadata: { resourceVersion: "20" } } });
});
