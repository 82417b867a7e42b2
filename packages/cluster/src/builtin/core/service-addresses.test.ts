import { expect, test } from "vitest";
import { memoryStore } from "../../store/index.ts";
import { followServices, serviceAddresses } from "./service-addresses.ts";

const service = (name: string, clusterIP: string, ...nodePorts: number[]) => ({
  metadata: { namespace: "shop", name },
  spec: { clusterIP, clusterIPs: [clusterIP], ports: nodePorts.map((nodePort) => ({ port: 80, nodePort })) },
});

test("what is taken is not given again", () => {
  const addresses = serviceAddresses(() => 0);
  expect(addresses.freeIp()).toBe("10.96.1.0");
  expect(addresses.freePort(new Set())).toBe(30086);
  addresses.observe(service("web", "10.96.1.0", 30086));
  expect(addresses.ownerOfIp("10.96.1.0")).toBe("shop/web");
  expect(addresses.freeIp()).toBe("10.96.1.1");
  expect(addresses.freePort(new Set([30087]))).toBe(30088);
});

test("a change of a service frees what it had", () => {
  const addresses = serviceAddresses(() => 0);
  addresses.observe(service("web", "10.96.1.0", 30086));
  addresses.observe(service("web", "10.96.1.1"));
  expect(addresses.ownerOfIp("10.96.1.0")).toBeUndefined();
  expect(addresses.ownerOfPort(30086)).toBeUndefined();
});

test("a headless service takes no address", () => {
  const addresses = serviceAddresses(() => 0);
  addresses.observe(service("web", "None"));
  expect(addresses.ownerOfIp("None")).toBeUndefined();
});

test("the end of the range is followed by its beginning, and a full range refuses", () => {
  const addresses = serviceAddresses(() => 0.999_999);
  const last = addresses.freePort(new Set());
  expect(last).toBe(32767);
  expect(addresses.freePort(new Set([last]))).toBe(30086);
  const all = new Set(Array.from({ length: 2768 }, (_, i) => 30000 + i));
  expect(() => addresses.freePort(all)).toThrow("delete services that are not needed");
});

test("services of a store are followed from what is there on, until stopped", async () => {
  const store = memoryStore();
  const addresses = serviceAddresses(() => 0);
  const put = (name: string, ip: string, expect: number) =>
    store.txn(`/registry/services/specs/shop/${name}`, expect, { put: service(name, ip) });
  await put("old", "10.96.0.10", 0);
  const stop = await followServices(store, addresses);
  expect(addresses.ownerOfIp("10.96.0.10")).toBe("shop/old");
  const made = await put("new", "10.96.0.11", 0);
  expect(addresses.ownerOfIp("10.96.0.11")).toBe("shop/new");
  if (!made.ok) throw new Error("not stored");
  await store.txn(made.entry.key, made.entry.revision, { delete: true });
  expect(addresses.ownerOfIp("10.96.0.11")).toBeUndefined();
  stop();
  await put("late", "10.96.0.12", 0);
  expect(addresses.ownerOfIp("10.96.0.12")).toBeUndefined();
});
