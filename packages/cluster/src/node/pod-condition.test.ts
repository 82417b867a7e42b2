import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { buildKubeletConditions } from "./pod-condition.ts";

const NOW = "2026-01-01T00:00:00Z";
const READY = { hasSandbox: true, initialized: true, containersReady: true, notReadyReason: {} };

test.each([
  [[], "False", 'corresponding condition of pod readiness gate "example.com/gate" does not exist.'],
  [
    [{ type: "example.com/gate", status: "False" }],
    "False",
    'the status of pod readiness gate "example.com/gate" is not "True", but False',
  ],
  [[{ type: "example.com/gate", status: "True" }], "True", undefined],
])("readiness gates with the conditions %j make a pod Ready=%s", (conditions, status, message) => {
  const spec = { readinessGates: [{ conditionType: "example.com/gate" }] };
  const found = buildKubeletConditions({ metadata: {}, spec, status: { conditions } } as unknown as Pod, READY, NOW);
  expect(found.find(({ type }) => type === "Ready")).toMatchObject(message === undefined ? { status } : { status, message });
  expect(found.find(({ type }) => type === "ContainersReady")).toMatchObject({ status: "True" });
  expect(found.slice(5)).toEqual(conditions);
});
