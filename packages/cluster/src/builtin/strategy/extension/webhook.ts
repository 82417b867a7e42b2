import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  WebhookClientConfig,
} from "pintle/kinds/admissionregistration/v1";
import { validateWebhookUrl } from "../../../schema/crd/index.ts";
import { fieldError, validateDns1035Label, validateDnsSubdomain } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { webhookPrinter } from "../../printers/others.ts";
import { validateLabelSelector } from "../../validation/labels.ts";
import { validatePortNumber } from "../../validation/names.ts";
import { createInvalidErrors, type FieldErrors, validateEnum, validateRequired } from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";
import { validateMatchConditions } from "./expressions.ts";

const REVIEW_VERSIONS = ["v1", "v1beta1"];
const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SIDE_EFFECTS = ["None", "NoneOnDryRun"];

/**
 * Strategy of mutating and validating webhook configurations; fields that only mutating webhooks have are missing in
 * the others.
 */
export const webhookConfigurationStrategy = defineStrategy<MutatingWebhookConfiguration>({
  validate: function* ({ webhooks }) {
    const names = new Set<string>();
    for (const [i, hook] of (webhooks ?? []).entries()) {
      const at = `webhooks[${i}]`;
      yield* validateWebhook(at, hook);
      yield* validateReviewVersions(`${at}.admissionReviewVersions`, hook.admissionReviewVersions);
      if (names.has(hook.name ?? "")) yield fieldError.duplicate(`${at}.name`, hook.name);
      if (hook.name) names.add(hook.name);
    }
  },
  tablePrinter: webhookPrinter,
});

function* validateWebhook(field: string, hook: Unvalidated<MutatingWebhook>): FieldErrors {
  yield* validateWebhookName(`${field}.name`, hook.name ?? "");
  for (const [i, rule] of (hook.rules ?? []).entries()) yield* validateRuleWithOperations(`${field}.rules[${i}]`, rule);
  yield* validateEnum(`${field}.failurePolicy`, hook.failurePolicy, ["Fail", "Ignore"]);
  yield* validateEnum(`${field}.matchPolicy`, hook.matchPolicy, ["Equivalent", "Exact"]);
  if (hook.sideEffects == null) yield fieldError.required(`${field}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(", ")}`);
  yield* validateEnum(`${field}.sideEffects`, hook.sideEffects, SIDE_EFFECTS);
  const { timeoutSeconds: timeout } = hook;
  if (timeout != null && (timeout > 30 || timeout < 1)) {
    yield fieldError.invalid(`${field}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds");
  }
  yield* validateLabelSelector(`${field}.namespaceSelector`, hook.namespaceSelector);
  yield* validateLabelSelector(`${field}.objectSelector`, hook.objectSelector);
  yield* validateEnum(`${field}.reinvocationPolicy`, hook.reinvocationPolicy, ["IfNeeded", "Never"]);
  yield* validateClientConfig(`${field}.clientConfig`, hook.clientConfig ?? {});
  yield* validateMatchConditions(`${field}.matchConditions`, hook.matchConditions);
}

function* validateWebhookName(field: string, name: string): FieldErrors {
  if (name === "") return yield fieldError.required(field);
  const problems = validateDnsSubdomain(name);
  if (problems.length > 0) yield fieldError.invalid(field, name, problems.join(","));
  else if (name.split(".").length < 3) {
    yield fieldError.invalid(field, name, "should be a domain with at least three segments separated by dots");
  }
}

const hasExtraBesideWildcard = (list: readonly string[] | null | undefined) => !!list && list.length > 1 && list.includes("*");
const formatWildcardMessage = (what: string) => `if '*' is present, must not specify other ${what}`;

/** Validates the rules that select requests for a webhook or policy. */
export function* validateRuleWithOperations(field: string, rule: Unvalidated<RuleWithOperations>): FieldErrors {
  const { operations, apiGroups, apiVersions, resources, scope } = rule;
  yield* validateRequired(`${field}.operations`, operations);
  if (hasExtraBesideWildcard(operations)) yield fieldError.invalid(`${field}.operations`, operations, formatWildcardMessage("operations"));
  for (const [i, operation] of (operations ?? []).entries()) yield* validateEnum(`${field}.operations[${i}]`, operation, OPERATIONS);
  yield* validateRequired(`${field}.apiGroups`, apiGroups);
  if (hasExtraBesideWildcard(apiGroups)) yield fieldError.invalid(`${field}.apiGroups`, apiGroups, formatWildcardMessage("API groups"));
  yield* validateRequired(`${field}.apiVersions`, apiVersions);
  if (hasExtraBesideWildcard(apiVersions))
    yield fieldError.invalid(`${field}.apiVersions`, apiVersions, formatWildcardMessage("API versions"));
  for (const [i, version] of (apiVersions ?? []).entries()) yield* validateRequired(`${field}.apiVersions[${i}]`, version);
  yield* validateResourceNames(`${field}.resources`, resources ?? []);
  yield* validateEnum(`${field}.scope`, scope, ["*", "Cluster", "Namespaced"]);
}

function* validateResourceNames(field: string, resources: readonly string[]): FieldErrors {
  yield* validateRequired(field, resources);
  for (const [i, name] of resources.entries()) {
    const [resource, subresource] = name.split("/");
    const earlier = resources.slice(0, i);
    if (name === "") yield fieldError.required(`${field}[${i}]`);
    if (subresource === undefined) continue;
    for (const wide of [`${resource}/*`, `*/${subresource}`]) {
      if (earlier.includes(wide)) yield fieldError.invalid(`${field}[${i}]`, name, `if '${wide}' is present, must not specify ${name}`);
    }
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    yield fieldError.invalid(field, resources, "if '*/*' is present, must not specify other resources");
  }
  if (resources.includes("*") && resources.some((name) => name !== "*" && !name.includes("/"))) {
    yield fieldError.invalid(field, resources, "if '*' is present, must not specify other resources without subresources");
  }
}

function* validateClientConfig(field: string, { url, service }: Unvalidated<WebhookClientConfig>): FieldErrors {
  if ((url == null) === (service == null)) return yield fieldError.required(field, "exactly one of url or service is required");
  if (url != null) return yield* validateWebhookUrl(url, `${field}.url`);
  const at = `${field}.service`;
  // kube-apiserver swaps the two.
  if (!service?.namespace) yield fieldError.required(`${at}.name`);
  if (!service?.name) yield fieldError.required(`${at}.namespace`);
  const port = service?.port ?? 0;
  const wrong = validatePortNumber(port);
  if (wrong.length > 0) yield fieldError.invalid(`${at}.port`, port, `port is not valid: ${wrong.join(", ")}`);
  yield* validateUrlPath(`${at}.path`, service?.path ?? "");
}

function* validateUrlPath(field: string, path: string): FieldErrors {
  if (path === "" || path === "/") return;
  if (!path.startsWith("/")) yield fieldError.invalid(field, path, "must start with a '/'");
  for (const [i, step] of path.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (step === "") yield fieldError.invalid(field, path, `segment[${i}] may not be empty`);
    else
      yield* createInvalidErrors(
        field,
        path,
        validateDnsSubdomain(step).map((problem) => `segment[${i}]: ${problem}`),
      );
  }
}

function* validateReviewVersions(field: string, versions: readonly string[] | null | undefined): FieldErrors {
  if (!versions?.length) return yield fieldError.required(field, `must specify one of ${REVIEW_VERSIONS.join(", ")}`);
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) yield fieldError.invalid(`${field}[${i}]`, version, "duplicate version");
    else yield* createInvalidErrors(`${field}[${i}]`, version, validateDns1035Label(version));
  }
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    yield fieldError.invalid(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`);
  }
}
