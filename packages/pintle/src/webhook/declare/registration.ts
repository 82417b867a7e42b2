import type { LabelSelector } from "../../kinds/index.ts";
import type { AdmissionOperation } from "./admission-request.ts";

/** Which requests the API server sends to a webhook, and what it does when the webhook fails. */
export interface WebhookRegistrationOptions<O extends AdmissionOperation = AdmissionOperation, S extends string = string> {
  /** The operations that the webhook receives. `default` never receives DELETE. Default: CREATE and UPDATE. */
  readonly operations?: readonly O[] | undefined;
  /** Subresources whose requests the webhook receives too: "status", "scale", "eviction", ... Default: none. */
  readonly subresources?: readonly S[] | undefined;
  /** Whether the webhook receives only requests to the subresources. Default: `false`. */
  readonly onlySubresources?: boolean | undefined;
  /** Restricts the webhook to namespaces with these labels; for Namespaces, their own labels. Default: all. */
  readonly namespaceSelector?: LabelSelector | undefined;
  /**
   * Restricts the webhook to objects with these labels, before or after the change. Users can remove labels, so do not use it to enforce
   * rules. Default: all.
   */
  readonly objectSelector?: LabelSelector | undefined;
  /**
   * Restricts the webhook to requests for which all these CEL expressions are true. Default: none.
   * `{ name: "not-a-node", expression: "!('system:nodes' in request.userInfo.groups)" }`
   */
  readonly matchConditions?: readonly MatchCondition[] | undefined;
  /** Whether the API server rejects ("Fail") or admits ("Ignore") a request when the webhook cannot be called. Default: "Fail". */
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  /** How long the API server waits for the response: 1 to 30 seconds. Default: 10. */
  readonly timeoutSeconds?: number | undefined;
  /** Whether `default` is called again after a later webhook changed the object ("IfNeeded"). Default: "Never". */
  readonly reinvocation?: "Never" | "IfNeeded" | undefined;
  /** Whether requests in other versions of the kind are sent too, converted to this one ("Equivalent"). Default: "Equivalent". */
  readonly matchPolicy?: "Equivalent" | "Exact" | undefined;
  /** "NoneOnDryRun" for a webhook that changes something besides the object, except in a dry run. Default: "None". */
  readonly sideEffects?: "None" | "NoneOnDryRun" | undefined;
  /**
   * Whether a webhook for a built-in kind with failurePolicy "Fail" applies to kube-system, kube-node-lease and the operator's namespace.
   * Then the cluster cannot restart the operator while the webhook is down. Default: `false`.
   */
  readonly systemNamespaces?: boolean | undefined;
}

/** One entry of `matchConditions`. */
export interface MatchCondition {
  /** A unique name: "not-a-node". */
  readonly name: string;
  /** CEL over `object`, `oldObject`, `request` and `authorizer`. */
  readonly expression: string;
}

/** `WebhookRegistrationOptions` with all defaults, as plain data. */
export interface WebhookRegistration {
  readonly operations: readonly AdmissionOperation[];
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

/** Applies the defaults. */
export function resolveRegistration(options: WebhookRegistrationOptions): WebhookRegistration {
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
