import type { Endpoint, EndpointSlice } from "pintle/kinds/discovery/v1";
import { expect, test } from "vitest";
import { type EndpointGroup, planEndpointSlices } from "./endpoint-slices.ts";

const template = {
  service: { metadata: { name: "web", namespace: "a" } },
  owner: { apiVersion: "v1", kind: "Service", name: "web", uid: "1" },
  labels: { app: "web" },
  annotations: {},
} as never;
const endpoint = (n: number): Endpoint => ({ addresses: [`10.0.0.${n}`], conditions: { ready: true } });
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => endpoint(from + i));
const group = (endpoints: readonly Endpoint[], port = 80): EndpointGroup => ({
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

test("creates one slice without endpoints", () => {
  expect(planEndpointSlices(template, [group([])], []).create.map(({ endpoints }) => endpoints?.length)).toEqual([0]);
});
test("creates slices of at most 100 endpoints", () => {
  expect(planEndpointSlices(template, [group(range(0, 230))], []).create.map(({ endpoints }) => endpoints?.length)).toEqual([100, 100, 30]);
});
test("changes nothing if the slices are up to date", () => {
  expect(planEndpointSlices(template, [group(range(0, 3))], [slice("s", range(0, 3))])).toEqual({ create: [], replace: [], remove: [] });
});
test("keeps endpoints in their slice and fills free slots with new ones", () => {
  const { create, replace, remove } = planEndpointSlices(template, [group(range(1, 102))], [slice("s", range(0, 100))]);
  expect([create.map((s) => s.endpoints?.length), replace.map((s) => s.endpoints?.length), remove]).toEqual([[1], [100], []]);
});
test("deletes slices with other ports", () => {
  const { create, remove } = planEndpointSlices(template, [group(range(0, 1), 81)], [slice("s", range(0, 1))]);
  expect([create.length, remove.map(({ metadata }) => metadata.name)]).toEqual([1, ["s"]]);
});
