import { expect, test } from "vitest";
import { createMemoryStore } from "../../../store/index.ts";
import { createServiceAllocator, watchServices } from "./service-allocator.ts";

const service = (name: string, clusterIP: string, ...nodePorts: number[]) => ({
  metadata: { namespace: "shop", name },
  spec: { clusterIP, clusterIPs: [clusterIP], ports: nodePorts.map((nodePort) => ({ port: 80, nodePort })) },
});

test("does not return addresses in use", () => {
  const addresses = createServiceAllocator(() => 0);
  expect(addresses.findFreeIp()).toBe("10.96.1.0");
  expect(addresses.findFreePort(new Set())).toBe(30086);
  addresses.recordService(service("web", "10.96.1.0", 30086));
  expect(addresses.getIpOwner("10.96.1.0")).toBe("shop/web");
  expect(addresses.findFreeIp()).toBe("10.96.1.1");
  expect(addresses.findFreePort(new Set([30087]))).toBe(30088);
});

test("releases the addresses that a service no longer uses", () => {
  const addresses = createServiceAllocator(() => 0);
  addresses.recordService(service("web", "10.96.1.0", 30086));
  addresses.recordService(service("web", "10.96.1.1"));
  expect(addresses.getIpOwner("10.96.1.0")).toBeUndefined();
  expect(addresses.getPortOwner(30086)).toBeUndefined();
});

test("ignores headless services", () => {
  const addresses = createServiceAllocator(() => 0);
  addresses.recordService(service("web", "None"));
  expect(addresses.getIpOwner("None")).toBeUndefined();
});

test("wraps around at the end of the range and throws when it is exhausted", () => {
  const addresses = createServiceAllocator(() => 0.999_999);
  const last = addresses.findFreePort(new Set());
  expect(last).toBe(32767);
  expect(addresses.findFreePort(new Set([last]))).toBe(30086);
  const all = new Set(Array.from({ length: 2768 }, (_, i) => 30000 + i));
  expect(() => addresses.findFreePort(all)).toThrow("delete unused services");
});

test("watchServices records stored services and follows changes until stopped", async () => {
  const store = createMemoryStore();
  const addresses = createServiceAllocator(() => 0);
  const put = (name: string, ip: string, expect: number) =>
    store.txn(`/registry/services/specs/shop/${name}`, expect, { put: service(name, ip) });
  await put("old", "10.96.0.10", 0);
  const stop = await watchServices(store, addresses);
  expect(addresses.getIpOwner("10.96.0.10")).toBe("shop/old");
  const created = await put("new", "10.96.0.11", 0);
  expect(addresses.getIpOwner("10.96.0.11")).toBe("shop/new");
  if (!created.ok) throw new Error("not stored");
  await store.txn(created.entry.key, created.entry.revision, { delete: true });
  expect(addresses.getIpOwner("10.96.0.11")).toBeUndefined();
  stop();
  await put("late", "10.96.0.12", 0);
  expect(addresses.getIpOwner("10.96.0.12")).toBeUndefined();
});
