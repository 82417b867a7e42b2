import { expect, test } from "vitest";
import { EMPTY_FAULT, toFaultRule } from "./fault-rule.ts";

test("makes a rule of what is filled in", () => {
  expect(toFaultRule({ ...EMPTY_FAULT, resource: "deployments", nth: "2" })).toEqual({
    on: { verb: "patch", resource: "deployments" },
    do: { status: 409 },
    nth: 2,
  });
  expect(toFaultRule({ ...EMPTY_FAULT, verb: "patch, update", effect: "latency", value: "250", probability: "0.5" })).toEqual({
    on: { verb: ["patch", "update"] },
    do: { latency: 250 },
    probability: 0.5,
  });
  expect(toFaultRule({ ...EMPTY_FAULT, effect: "drop-connection" })).toEqual({ do: { drop: "connection" } });
  expect(toFaultRule({ ...EMPTY_FAULT, effect: "webhook-cut", webhook: "v.example.com" })).toEqual({
    on: { webhook: "v.example.com" },
    do: { cut: "before" },
  });
});

test("says what is wrong", () => {
  expect(toFaultRule({ ...EMPTY_FAULT, value: "200" })).toMatch(/between 400 and 599/);
  expect(toFaultRule({ ...EMPTY_FAULT, effect: "delay", value: "" })).toMatch(/milliseconds/);
  expect(toFaultRule({ ...EMPTY_FAULT, nth: "0" })).toMatch(/from 1/);
  expect(toFaultRule({ ...EMPTY_FAULT, probability: "2" })).toMatch(/probability/);
  expect(toFaultRule({ ...EMPTY_FAULT, effect: "webhook-cut" })).toMatch(/webhook/);
});
