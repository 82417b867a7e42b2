import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  WebhookClientConfig,
} from "pintle/kinds/admissionregistration/v1";
import { dns1035Problems, dnsSubdomainProblems, fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { webhookTable } from "../table/others.ts";
import { portNumberProblems } from "../text/names.ts";
import { labelSelector } from "../validate/labels.ts";
import { invalidFor, maybeOneOf, type Problems, required } from "../validate/problems.ts";
import { matchConditions } from "./expressions.ts";

const VERSIONS = ["v1", "v1beta1"];
const OPERATIONS = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const HARMLESS = ["None", "NoneOnDryRun"];

/** Mutating and validating webhooks: the same, but for what only the former have. */
export const webhookConfiguration = rules<MutatingWebhookConfiguration>({
  validate: function* ({ webhooks }) {
    const names = new Set<string>();
    for (const [i, hook] of (webhooks ?? []).entries()) {
      const at = `webhooks[${i}]`;
      yield* validateHook(at, hook);
      yield* reviewVersions(`${at}.admissionReviewVersions`, hook.admissionReviewVersions);
      if (names.has(hook.name ?? "")) yield fieldError.duplicate(`${at}.name`, hook.name);
      if (hook.name) names.add(hook.name);
    }
  },
  table: webhookTable,
});

function* validateHook(field: string, hook: Loose<MutatingWebhook>): Problems {
  yield* fullName(`${field}.name`, hook.name ?? "");
  for (const [i, rule] of (hook.rules ?? []).entries()) yield* operationsRule(`${field}.rules[${i}]`, rule);
  yield* maybeOneOf(`${field}.failurePolicy`, hook.failurePolicy, ["Fail", "Ignore"]);
  yield* maybeOneOf(`${field}.matchPolicy`, hook.matchPolicy, ["Equivalent", "Exact"]);
  if (hook.sideEffects == null) yield fieldError.required(`${field}.sideEffects`, `must specify one of ${HARMLESS.join(", ")}`);
  yield* maybeOneOf(`${field}.sideEffects`, hook.sideEffects, HARMLESS);
  const { timeoutSeconds: timeout } = hook;
  if (timeout != null && (timeout > 30 || timeout < 1)) {
    yield fieldError.invalid(`${field}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds");
  }
  yield* labelSelector(`${field}.namespaceSelector`, hook.namespaceSelector);
  yield* labelSelector(`${field}.objectSelector`, hook.objectSelector);
  yield* maybeOneOf(`${field}.reinvocationPolicy`, hook.reinvocationPolicy, ["IfNeeded", "Never"]);
  yield* clientConfig(`${field}.clientConfig`, hook.clientConfig ?? {});
  yield* matchConditions(`${field}.matchConditions`, hook.matchConditions);
}

function* fullName(field: string, name: string): Problems {
  if (name === "") return yield fieldError.required(field);
  const problems = dnsSubdomainProblems(name);
  if (problems.length > 0) yield fieldError.invalid(field, name, problems.join(","));
  else if (name.split(".").length < 3) {
    yield fieldError.invalid(field, name, "should be a domain with at least three segments separated by dots");
  }
}

const alone = (list: readonly string[] | null | undefined) => !!list && list.length > 1 && list.includes("*");
const others = (what: string) => `if '*' is present, must not specify other ${what}`;

/** Which requests a webhook or a policy is about. */
export function* operationsRule(field: string, rule: Loose<RuleWithOperations>): Problems {
  const { operations, apiGroups, apiVersions, resources, scope } = rule;
  yield* required(`${field}.operations`, operations);
  if (alone(operations)) yield fieldError.invalid(`${field}.operations`, operations, others("operations"));
  for (const [i, operation] of (operations ?? []).entries()) yield* maybeOneOf(`${field}.operations[${i}]`, operation, OPERATIONS);
  yield* required(`${field}.apiGroups`, apiGroups);
  if (alone(apiGroups)) yield fieldError.invalid(`${field}.apiGroups`, apiGroups, others("API groups"));
  yield* required(`${field}.apiVersions`, apiVersions);
  if (alone(apiVersions)) yield fieldError.invalid(`${field}.apiVersions`, apiVersions, others("API versions"));
  for (const [i, version] of (apiVersions ?? []).entries()) yield* required(`${field}.apiVersions[${i}]`, version);
  yield* resourceNames(`${field}.resources`, resources ?? []);
  yield* maybeOneOf(`${field}.scope`, scope, ["*", "Cluster", "Namespaced"]);
}

function* resourceNames(field: string, resources: readonly string[]): Problems {
  yield* required(field, resources);
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

function* clientConfig(field: string, { url, service }: Loose<WebhookClientConfig>): Problems {
  if ((url == null) === (service == null)) return yield fieldError.required(field, "exactly one of url or service is required");
  if (url != null) return yield* webhookUrl(`${field}.url`, url);
  const at = `${field}.service`;
  // The server takes the one for the other.
  if (!service?.namespace) yield fieldError.required(`${at}.name`);
  if (!service?.name) yield fieldError.required(`${at}.namespace`);
  const port = service?.port ?? 0;
  const wrong = portNumberProblems(port);
  if (wrong.length > 0) yield fieldError.invalid(`${at}.port`, port, `port is not valid: ${wrong.join(", ")}`);
  yield* urlPath(`${at}.path`, service?.path ?? "");
}

function* webhookUrl(field: string, text: string): Problems {
  const form = "; desired format: https://host[/path]";
  const [, scheme = "", user, host = "", query, fragment] =
    /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/(?:([^@/?#]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/i.exec(text) ?? [];
  if (scheme !== "https") yield fieldError.invalid(field, scheme, `'https' is the only allowed URL scheme${form}`);
  if (host === "") yield fieldError.invalid(field, host, `host must be specified${form}`);
  if (user !== undefined) yield fieldError.invalid(field, user, "user information is not permitted in the URL");
  if (fragment) yield fieldError.invalid(field, fragment, "fragments are not permitted in the URL");
  if (query) yield fieldError.invalid(field, query, "query parameters are not permitted in the URL");
}

function* urlPath(field: string, path: string): Problems {
  if (path === "" || path === "/") return;
  if (!path.startsWith("/")) yield fieldError.invalid(field, path, "must start with a '/'");
  for (const [i, step] of path.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (step === "") yield fieldError.invalid(field, path, `segment[${i}] may not be empty`);
    else
      yield* invalidFor(
        field,
        path,
        dnsSubdomainProblems(step).map((problem) => `segment[${i}]: ${problem}`),
      );
  }
}

function* reviewVersions(field: string, versions: readonly string[] | null | undefined): Problems {
  if (!versions?.length) return yield fieldError.required(field, `must specify one of ${VERSIONS.join(", ")}`);
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) yield fieldError.invalid(`${field}[${i}]`, version, "duplicate version");
    else yield* invalidFor(`${field}[${i}]`, version, dns1035Problems(version));
  }
  if (!versions.some((version) => VERSIONS.includes(version))) {
    yield fieldError.invalid(field, versions, `must include at least one of ${VERSIONS.join(", ")}`);
  }
}
