import { permissions, type StartOptions } from "pintle/manager";
import type { AnyResource } from "pintle/resource";
import type { Operator } from "./operator.ts";

/** What `run(options)` would run, as plain data. */
export function operatorOf({ controllers, resources = [] }: StartOptions): Operator {
  const touched = controllers.flatMap((each) => [each.kind, ...each.owns, ...Object.values(each.watches).map(({ kind }) => kind)]);
  const ours = new Map([...resources, ...touched].filter(isResource).map((each) => [each.crdFileName, each]));
  return {
    controllers: controllers.map(({ name, kind }) => ({ name, kind: kind.id })),
    resources: [...ours].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, each]) => ({ file, crd: each.crd() })),
    permissions: permissions(controllers, { leaderElection: true, metrics: { address: ":8443", guarded: true } }),
  };
}

function isResource(kind: object): kind is AnyResource {
  return "crd" in kind && typeof kind.crd === "function" && "crdFileName" in kind;
}
