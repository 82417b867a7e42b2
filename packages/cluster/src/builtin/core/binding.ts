import type { JsonObject } from "pintle/kinds";
import { type AskContext, metadataOf } from "../../api/index.ts";
import { notFound } from "../../status/index.ts";
import type { Store } from "../../store/index.ts";
import { storagePrefix } from "../facts.ts";
import type { KindRules } from "../rules.ts";
import { binding } from "./pod-actions.ts";

/** The old way to bind a pod: a Binding by the pod's name, among the bindings of the namespace. None is ever stored. */
export function bindingRules(store: Store): KindRules<any> {
  return { ask: (body, context) => bind(store, body, context) };
}

async function bind(store: Store, body: JsonObject, context: AskContext): Promise<JsonObject> {
  const { name = "", namespace = "" } = metadataOf(body);
  const { dryRun } = context;
  const key = `${storagePrefix("", "pods")}/${namespace}/${name}`;
  const change = async (next: (live: JsonObject) => JsonObject): Promise<JsonObject> => {
    for (;;) {
      const entry = await store.get(key);
      if (entry === undefined) throw notFound({ group: "", resource: "pods" }, name);
      const changed = next(entry.value);
      if (dryRun) return changed;
      const result = await store.txn(key, entry.revision, { put: changed });
      if (result.ok) return result.entry.value;
    }
  };
  return binding({ verb: "create", namespace, name, body, dryRun, context, change, remove: async () => {} });
}
