import { expect, test } from "vitest";
import * as z from "zod";
import { Deployment } from "../kinds/generated/apps/v1.ts";
import * as kinds from "../kinds/index.ts";
import { defineResource } from "../resource/index.ts";
import type { Live } from "./decide.ts";
import { statusOf, statusSettled } from "./status.ts";

const Thing = defineResource({
  group: "x.io",
  version: "v1",
  kind: "Thing",
  spec: z.object({}),
  status: z.object({ n: z.int() }),
  conditions: ["Ready", "Synced"],
});
const Plain = defineResource({ group: "x.io", version: "v1", kind: "Plain", spec: z.object({}), status: z.object({ n: z.int() }) });
const then = "2026-01-01T00:00:00Z";
const now = "2026-01-02T00:00:00Z";
const live = (status?: object) =>
  ({ metadata: { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", generation: 4 }, status }) as unknown as Live;
const condition = (type: string, status: string, time = then, more: object = {}) => ({
  type,
  status,
  reason: "R",
  message: "",
  lastTransitionTime: time,
  observedGeneration: 3,
  ...more,
});

test("conditions that are not returned keep value, time and generation; times move only with the status", () => {
  const before = live({
    n: 1,
    observedGeneration: 3,
    conditions: [condition("Ready", "True"), condition("Synced", "False"), condition("Foreign", "True")],
  });
  const status = statusOf(Thing, { status: { n: 2 }, conditions: { Ready: { status: true, reason: "Still" } } }, before, now)!;
  expect(status).toEqual({
    n: 2,
    observedGeneration: 4,
    conditions: [condition("Ready", "True", then, { reason: "Still", observedGeneration: 4 }), condition("Synced", "False")],
  });
  const changed = statusOf(Thing, { conditions: { Ready: { status: "Unknown", reason: "Lost", message: "m" } } }, before, now)!;
  expect(changed).toMatchObject({ n: 1, conditions: [{ status: "Unknown", lastTransitionTime: now, message: "m" }, { type: "Synced" }] });
});

test("not mentioned is not touched, and settled leaves other people's conditions out", () => {
  expect(statusOf(Thing, {}, live(), now)).toBeUndefined();
  const mine = { n: 1, observedGeneration: 4, conditions: [condition("Ready", "True")] };
  expect(statusSettled(Thing, mine, live({ ...mine, conditions: [condition("Foreign", "True"), ...mine.conditions] }))).toBe(true);
  expect(statusSettled(Thing, mine, live({ ...mine, left: "over" }))).toBe(false);
  expect(statusSettled(Thing, mine, live())).toBe(false);
});

test("a resource without conditions gets neither conditions nor observedGeneration", () => {
  const status = statusOf(Plain, { status: { n: 1 } }, live(), now)!;
  expect(status).toEqual({ n: 1 });
  expect(statusSettled(Plain, status, live({ n: 1 }))).toBe(true);
});

test("built-in kinds: what is given is written, without fields that only our own resources are known to have", () => {
  const status = statusOf(
    Deployment,
    { status: { readyReplicas: 1 }, conditions: { Available: { status: true, reason: "R" } } },
    live(),
    now,
  )!;
  expect(status).toEqual({
    readyReplicas: 1,
    conditions: [{ type: "Available", status: "True", reason: "R", message: "", lastTransitionTime: now }],
  });
  expect(statusSettled(Deployment, { readyReplicas: 1 }, live({ readyReplicas: 1, replicas: 1 }))).toBe(true);
});

test("built-in kinds: conditions alone leave the rest of the status to its owner", () => {
  const foreign = condition("Progressing", "True");
  const before = live({ readyReplicas: 3, conditions: [foreign] });
  const wanted = { conditions: { Audited: { status: true, reason: "R" } } };
  const audited = { type: "Audited", status: "True", reason: "R", message: "", lastTransitionTime: now };
  expect(statusOf(Deployment, wanted, before, now)).toEqual({ conditions: [audited] });
  // Where the list is not known to merge by type, what others wrote is sent along, or it would go.
  const unknown = kinds.foreign({ group: "x.io", version: "v1", kind: "Unknown", plural: "unknowns", scope: "Namespaced" });
  expect(statusOf(unknown, wanted, before, now)).toEqual({ conditions: [audited, foreign] });
});

test("built-in kinds: an empty value is settled where the server keeps nothing, and not where it keeps another", () => {
  const wanted = {
    readyReplicas: 0,
    conditions: [{ type: "Audited", status: "True", reason: "R", message: "", lastTransitionTime: now }],
  };
  const kept = { conditions: [condition("Other", "True"), { type: "Audited", status: "True", reason: "R", lastTransitionTime: now }] };
  expect(statusSettled(Deployment, wanted, live(kept))).toBe(true);
  expect(statusSettled(Deployment, wanted, live({ ...kept, readyReplicas: 2 }))).toBe(false);
  expect(statusSettled(Deployment, { readyReplicas: 1 }, live(kept))).toBe(false);
});
