import { expect, test } from "vitest";
import * as z from "zod";
import { Deployment } from "../../kinds/generated/apps/v1.ts";
import * as kinds from "../../kinds/index.ts";
import { defineResource } from "../../resource/index.ts";
import type { LiveJsonObject } from "./decide.ts";
import { buildStatus, isStatusSettled } from "./status.ts";

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
  ({ metadata: { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", generation: 4 }, status }) as unknown as LiveJsonObject;
const condition = (type: string, status: string, time = then, more: object = {}) => ({
  type,
  status,
  reason: "R",
  message: "",
  lastTransitionTime: time,
  observedGeneration: 3,
  ...more,
});

test("keeps value, time and generation of conditions that are not returned, and changes lastTransitionTime only with the status", () => {
  const before = live({
    n: 1,
    observedGeneration: 3,
    conditions: [condition("Ready", "True"), condition("Synced", "False"), condition("Foreign", "True")],
  });
  const status = buildStatus(
    { kind: Thing, name: "op" },
    { status: { n: 2 }, conditions: { Ready: { status: true, reason: "Still" } } },
    before,
    now,
  )!;
  expect(status).toEqual({
    n: 2,
    observedGeneration: 4,
    conditions: [condition("Ready", "True", then, { reason: "Still", observedGeneration: 4 }), condition("Synced", "False")],
  });
  const changed = buildStatus(
    { kind: Thing, name: "op" },
    { conditions: { Ready: { status: "Unknown", reason: "Lost", message: "m" } } },
    before,
    now,
  )!;
  expect(changed).toMatchObject({ n: 1, conditions: [{ status: "Unknown", lastTransitionTime: now, message: "m" }, { type: "Synced" }] });
});

test("leaves an unmentioned status alone, and compares without conditions of other writers", () => {
  expect(buildStatus({ kind: Thing, name: "op" }, {}, live(), now)).toBeUndefined();
  const mine = { n: 1, observedGeneration: 4, conditions: [condition("Ready", "True")] };
  expect(
    isStatusSettled({ kind: Thing, name: "op" }, mine, live({ ...mine, conditions: [condition("Foreign", "True"), ...mine.conditions] })),
  ).toBe(true);
  expect(isStatusSettled({ kind: Thing, name: "op" }, mine, live({ ...mine, left: "over" }))).toBe(false);
  expect(isStatusSettled({ kind: Thing, name: "op" }, mine, live())).toBe(false);
});

test("adds neither conditions nor observedGeneration to a resource without declared conditions", () => {
  const status = buildStatus({ kind: Plain, name: "op" }, { status: { n: 1 } }, live(), now)!;
  expect(status).toEqual({ n: 1 });
  expect(isStatusSettled({ kind: Plain, name: "op" }, status, live({ n: 1 }))).toBe(true);
});

test("built-in kinds: writes the given status without observedGeneration and conditions", () => {
  const status = buildStatus(
    { kind: Deployment, name: "op" },
    { status: { readyReplicas: 1 }, conditions: { Available: { status: true, reason: "R" } } },
    live(),
    now,
  )!;
  expect(status).toEqual({
    readyReplicas: 1,
    conditions: [{ type: "Available", status: "True", reason: "R", message: "", lastTransitionTime: now }],
  });
  expect(isStatusSettled({ kind: Deployment, name: "op" }, { readyReplicas: 1 }, live({ readyReplicas: 1, replicas: 1 }))).toBe(true);
});

test("built-in kinds: writes conditions alone and leaves the rest of the status to its owner", () => {
  const foreign = condition("Progressing", "True");
  const before = live({ readyReplicas: 3, conditions: [foreign] });
  const wanted = { conditions: { Audited: { status: true, reason: "R" } } };
  const audited = { type: "Audited", status: "True", reason: "R", message: "", lastTransitionTime: now };
  expect(buildStatus({ kind: Deployment, name: "op" }, wanted, before, now)).toEqual({ conditions: [audited] });
  // Where the list is not known to merge by type, conditions of other writers are sent along.
  const unknown = kinds.defineUntypedKind({ group: "x.io", version: "v1", kind: "Unknown", plural: "unknowns", scope: "Namespaced" });
  expect(buildStatus({ kind: unknown, name: "op" }, wanted, before, now)).toEqual({ conditions: [audited, foreign] });
});

test("built-in kinds: an empty value is settled where the server omits the field, and not where it has another value", () => {
  const wanted = {
    readyReplicas: 0,
    conditions: [{ type: "Audited", status: "True", reason: "R", message: "", lastTransitionTime: now }],
  };
  const kept = { conditions: [condition("Other", "True"), { type: "Audited", status: "True", reason: "R", lastTransitionTime: now }] };
  expect(isStatusSettled({ kind: Deployment, name: "op" }, wanted, live(kept))).toBe(true);
  expect(isStatusSettled({ kind: Deployment, name: "op" }, wanted, live({ ...kept, readyReplicas: 2 }))).toBe(false);
  expect(isStatusSettled({ kind: Deployment, name: "op" }, { readyReplicas: 1 }, live(kept))).toBe(false);
});
