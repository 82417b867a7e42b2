import type { LabelSelector } from "../kinds/index.ts";
import type { Operation } from "./request.ts";

/** Which requests a webhook hears of, and what happens when it cannot be asked. */
export interface MatchingOptions<O extends Operation = Operation, S extends string = string> {
  /** Default: CREATE and UPDATE. `default` is never asked about a DELETE. */
  readonly operations?: readonly O[] | undefined;
  /** Also requests to these subresources: "status", "scale", "eviction", ... Default: none. */
  readonly subresources?: readonly S[] | undefined;
  /** Requests to the subresources only. Default: false. */
  readonly onlySubresources?: boolean | undefined;
  /** Only in namespaces with these labels; of a Namespace, its own. */
  readonly namespaceSelector?: LabelSelector | undefined;
  /** Only objects with these labels, before or after the change. Users can leave labels out: not for what must be enforced. */
  readonly objectSelector?: LabelSelector | undefined;
  /** Only where all these CEL expressions hold: `{ name: "not-a-node", expression: "!('system:nodes' in request.userInfo.groups)" }`. */
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  /** "Fail" (default): what cannot be asked about is refused. "Ignore": it is let through. */
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  /** How long the server waits for an answer: 1 to 30 seconds. Default: 10. */
  readonly timeoutSeconds?: number | undefined;
  /** "IfNeeded": `default` is asked again when a later webhook changed the object. Default: "Never". */
  readonly reinvocation?: "Never" | "IfNeeded" | undefined;
  /** "Equivalent" (default): also requests in other versions of the kind, converted to this one. */
  readonly matchPolicy?: "Equivalent" | "Exact" | undefined;
  /** "NoneOnDryRun": it changes something outside of the object, but not in a dry run. Default: "None". */
  readonly sideEffects?: "None" | "NoneOnDryRun" | undefined;
  /**
   * Also in kube-system, kube-node-lease and the operator's own namespace. By default a webhook that refuses what it cannot be
   * asked about is not asked about built-in kinds there: while it is down, the cluster could not even start it again.
   */
  readonly systemNamespaces?: boolean | undefined;
}

export interface MatchCondition {
  readonly name: string;
  /** CEL over `object`, `oldObject`, `request` and `authorizer`. */
  readonly expression: string;
}

/** The same with every default filled in: plain data. */
export interface Matching {
  readonly operations: readonly Operation[];
  readonly subresources: readonly string[];
  readonly onlySubresources: boolean;
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
  readonly matchConditions: readonly MatchCondition[];
  readonly failurePolicy: "Fail" | "Ignore";
  readonly timeoutSeconds: number;
  readonly reinvocation: "Never" | "IfNeeded";
  readonly matchPolicy: "Equivalent" | "Exact";
  readonly sideEffects: "None" | "NoneOnDryRun";
  readonly systemNamespaces: boolean;
}

export function matching(options: MatchingOptions): Matching {
  return {
    operations: options.operations ?? ["CREATE", "UPDATE"],
    subresources: options.subresources ?? [],
    onlySubresources: options.onlySubresources ?? false,
    namespaceSelector: options.namespaceSelector,
    objectSelector: options.objectSelector,
    matchConditions: options.matchConditions ?? [],
    failurePolicy: options.failurePolicy ?? "Fail",
    timeoutSeconds: options.timeoutSeconds ?? 10,
    reinvocation: options.reinvocation ?? "Never",
    matchPolicy: options.matchPolicy ?? "Equivalent",
    sideEffects: options.sideEffects ?? "None",
    systemNamespaces: options.systemNamespaces ?? false,
  };
}
