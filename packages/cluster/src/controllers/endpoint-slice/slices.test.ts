import type { Endpoint, EndpointSlice } from "pintle/kinds/discovery/v1";
import { expect, test } from "vitest";
import { type Group, sliceStep } from "./slices.ts";

const common = {
  service: { metadata: { name: "web", namespace: "a" } },
  owner: { apiVersion: "v1", kind: "Service", name: "web", uid: "1" },
  labels: { app: "web" },
  annotations: {},
} as never;
const endpoint = (n: number): Endpoint => ({ addresses: [`10.0.0.${n}`], conditions: { ready: true } });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => endpoint(from + i));
const group = (endpoints: readonly Endpoint[], port = 80): Group => ({
  addressType: "IPv4",
  ports: [{ name: "", port, protocol: "TCP" }],
  endpoints,
});
const slice = (name: string, endpoints: readonly Endpoint[], port = 80) =>
  ({
    metadata: { name, labels: { app: "web" }, annotations: {} },
    addressType: "IPv4",
    ports: [{ name: "", port, protocol: "TCP" }],
    endpoints,
  }) as unknown as EndpointSlice;

test("the first slice, also without endpoints", () => {
  expect(sliceStep(common, [group([])], []).create.map(({ endpoints }) => endpoints?.length)).toEqual([0]);
});
test("no more than a hundred in one", () => {
  expect(sliceStep(common, [group(range(0, 230))], []).create.map(({ endpoints }) => endpoints?.length)).toEqual([100, 100, 30]);
});
test("what is as it should be is left alone", () => {
  expect(sliceStep(common, [group(range(0, 3))], [slice("s", range(0, 3))])).toEqual({ create: [], replace: [], remove: [] });
});
test("endpoints stay where they are, new ones fill up", () => {
  const { create, replace, remove } = sliceStep(common, [group(range(1, 102))], [slice("s", range(0, 100))]);
  expect([create.map((s) => s.endpoints?.length), replace.map((s) => s.endpoints?.length), remove]).toEqual([[1], [100], []]);
});
test("slices of other ports go", () => {
  const { create, remove } = sliceStep(common, [group(range(0, 1), 81)], [slice("s", range(0, 1))]);
  expect([create.length, remove.map(({ metadata }) => metadata.name)]).toEqual([1, ["s"]]);
});
