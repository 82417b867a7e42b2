import type { MetricsRegistry } from "pintle/internal/metrics";
import type { ResourceRegistry } from "../api/index.ts";
import type { RunningFlowControl } from "../flowcontrol/index.ts";
import type { ObjectStore } from "../store/index.ts";

/** What is read at a scrape. */
export interface GaugeSources {
  readonly store: ObjectStore;
  /** Undefined while the server starts. */
  readonly registry: ResourceRegistry | undefined;
  readonly flowControl: RunningFlowControl | undefined;
}

/** Registers the metrics that are read from the store and from flow control. */
export function registerServerGauges(registry: MetricsRegistry, sources: () => GaugeSources): void {
  const updateStore = registerStoreGauges(registry);
  const updateFlowControl = registerFlowControlGauges(registry);
  registry.beforeScrape(() => {
    const current = sources();
    updateStore(current);
    updateFlowControl(current);
  });
}

function registerStoreGauges(registry: MetricsRegistry) {
  const objects = registry.gauge("apiserver_resource_objects", "Stored objects, by resource", ["group", "resource"]);
  const bytes = registry.gauge("apiserver_resource_size_estimate_bytes", "Size of stored objects, by resource", ["group", "resource"]);
  const legacyObjects = registry.gauge("apiserver_storage_objects", "Stored objects, by resource; see apiserver_resource_objects", [
    "resource",
  ]);
  const size = registry.gauge("apiserver_storage_size_bytes", "Size of all stored objects", ["storage_cluster_id"]);
  return ({ store, registry: served }: GaugeSources) => {
    for (const gauge of [objects, bytes, legacyObjects]) gauge.clear();
    const { byPrefix, total } = measureStore(store, served);
    size.set(["pintle-0"], total);
    for (const { group, plural, count, byteLength } of byPrefix.values()) {
      objects.set([group, plural], count);
      bytes.set([group, plural], byteLength);
      legacyObjects.set([group === "" ? plural : `${plural}.${group}`], count);
    }
  };
}

interface ResourceSize {
  readonly group: string;
  readonly plural: string;
  count: number;
  byteLength: number;
}

/** Adds up all entries in one pass: keys are sorted, so those of a resource follow each other. */
function measureStore(store: ObjectStore, served: ResourceRegistry | undefined) {
  const byPrefix = new Map<string, ResourceSize>();
  for (const { name, versions } of served?.groups() ?? []) {
    for (const { resources } of versions) {
      for (const { plural, storage, evaluateReview, computeObjects } of resources) {
        if (evaluateReview !== undefined || computeObjects !== undefined) continue;
        const group = storage.group ?? name;
        if (!byPrefix.has(storage.prefix)) byPrefix.set(storage.prefix, { group, plural, count: 0, byteLength: 0 });
      }
    }
  }
  const { keys, entries } = store.snapshot();
  let total = 0;
  let prefix = "";
  let current: ResourceSize | undefined;
  for (const key of keys) {
    const { byteLength } = entries.get(key)!;
    total += byteLength;
    if (prefix === "" || !key.startsWith(prefix)) {
      const found = findPrefix(key, byPrefix);
      prefix = `${found}/`;
      current = byPrefix.get(found);
    }
    if (current === undefined) continue;
    current.count++;
    current.byteLength += byteLength;
  }
  return { byPrefix, total };
}

/** Returns the longest path of the key that is a prefix of a resource: "/registry/pods", "/registry/services/specs". */
function findPrefix(key: string, byPrefix: ReadonlyMap<string, ResourceSize>): string {
  let end = key.lastIndexOf("/");
  while (end > 0) {
    const prefix = key.slice(0, end);
    if (byPrefix.has(prefix)) return prefix;
    end = key.lastIndexOf("/", end - 1);
  }
  return key;
}

function registerFlowControlGauges(registry: MetricsRegistry) {
  const flowLabels = ["flow_schema", "priority_level"];
  const executing = registry.gauge("apiserver_flowcontrol_current_executing_requests", "Requests in execution, by flow", flowLabels);
  const inQueue = registry.gauge("apiserver_flowcontrol_current_inqueue_requests", "Requests that wait for a seat, by flow", flowLabels);
  const dispatched = registry.counter("apiserver_flowcontrol_dispatched_requests_total", "Requests that got a seat, by flow", flowLabels);
  const rejected = registry.counter("apiserver_flowcontrol_rejected_requests_total", "Requests without a seat, by flow and reason", [
    "flow_schema",
    "priority_level",
    "reason",
  ]);
  const nominal = registry.gauge("apiserver_flowcontrol_nominal_limit_seats", "Seats of a priority level", ["priority_level"]);
  const limit = registry.gauge("apiserver_flowcontrol_current_limit_seats", "Seats of a priority level, with borrowed ones", [
    "priority_level",
  ]);
  const seats = registry.gauge("apiserver_flowcontrol_current_executing_seats", "Seats in use, by flow", flowLabels);
  return ({ flowControl }: GaugeSources) => {
    for (const gauge of [executing, inQueue, nominal, limit, seats]) gauge.clear();
    for (const flow of flowControl?.flows ?? []) {
      const labels = [flow.matcher.name, flow.level.name];
      executing.set(labels, flow.executing);
      seats.set(labels, flow.executing);
      inQueue.set(labels, flow.inQueue);
      dispatched.set(labels, flow.dispatched);
      for (const [reason, count] of Object.entries(flow.rejected)) rejected.set([...labels, reason], count);
    }
    for (const { name, limit: seatLimit } of flowControl?.levels.values() ?? []) {
      nominal.set([name], seatLimit);
      limit.set([name], seatLimit);
    }
  };
}
