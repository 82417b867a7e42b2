import type { KindInfo, LabelSelector } from "../../kinds/index.ts";
import { InvalidWebhook } from "./invalid-webhook.ts";
import type { WebhookRegistration } from "./registration.ts";

const OPERATIONS = ["CREATE", "UPDATE", "DELETE", "CONNECT"];
/** The API server does not call webhooks for this group, so that a broken webhook can always be removed. */
const EXEMPT_GROUPS = /^admissionregistration\.k8s\.io$/;
const QUALIFIED_NAME = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_MATCH_CONDITIONS = 64;

/** The parts of a webhook that `validateWebhook` checks. */
export interface WebhookDeclaration {
  readonly name: string | undefined;
  readonly registration: WebhookRegistration;
  readonly hasDefault: boolean;
  readonly hasValidate: boolean;
}

/** Throws `InvalidWebhook` for a webhook that the API server would reject or never call. */
export function validateWebhook(kind: KindInfo, { name, registration, hasDefault, hasValidate }: WebhookDeclaration): void {
  const reject = (option: string, problem: string, advice: string) => {
    throw new InvalidWebhook(kind.kind, option, problem, advice);
  };
  const checkOneOf = (option: string, value: string, allowed: readonly string[]) => {
    if (!allowed.includes(value)) reject(option, `${JSON.stringify(value)} is not a valid value`, `use ${allowed.join(" or ")}`);
  };
  const { operations, subresources, timeoutSeconds, matchConditions } = registration;
  if (EXEMPT_GROUPS.test(kind.group)) reject("kind", `the API server never calls webhooks for ${kind.group}`, "choose another kind");
  if (!hasDefault && !hasValidate) reject("default, validate", "both are missing", "write at least one of them");
  if (name !== undefined && !DNS_LABEL.test(name))
    reject("name", `${JSON.stringify(name)} cannot be part of a DNS name`, "use at most 63 lower-case letters, digits and dashes");

  if (operations.length === 0) reject("operations", "the list is empty", "remove it for CREATE and UPDATE");
  for (const operation of operations) checkOneOf("operations", operation, OPERATIONS);
  if (new Set(operations).size < operations.length) reject("operations", "an operation is listed twice", "list each once");
  if (hasDefault && operations.every((operation) => operation === "DELETE"))
    reject("default", "an object that is being deleted cannot be changed", "use validate, or add CREATE or UPDATE");
  if (operations.includes("CONNECT") && subresources.length === 0)
    reject("operations", "CONNECT applies to subresources only", 'list them: subresources: ["exec"]');

  if (registration.onlySubresources && subresources.length === 0)
    reject("onlySubresources", "no subresources are listed", 'list them: subresources: ["status"]');
  for (const subresource of subresources) {
    if (!/^[a-z]+$/.test(subresource))
      reject("subresources", `${JSON.stringify(subresource)} is not a subresource`, 'use its name alone: "status"');
    if (isCustomResource(kind) && !kind.subresources.includes(subresource))
      reject("subresources", `${kind.kind} has no ${subresource}`, `it has: ${kind.subresources.join(", ") || "none"}`);
  }

  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 30)
    reject("timeoutSeconds", `${timeoutSeconds} is not from 1 to 30`, "the API server waits at most 30 s");
  checkOneOf("failurePolicy", registration.failurePolicy, ["Fail", "Ignore"]);
  checkOneOf("reinvocation", registration.reinvocation, ["Never", "IfNeeded"]);
  checkOneOf("matchPolicy", registration.matchPolicy, ["Equivalent", "Exact"]);
  checkOneOf("sideEffects", registration.sideEffects, ["None", "NoneOnDryRun"]);
  if (registration.reinvocation === "IfNeeded" && !hasDefault) reject("reinvocation", "only `default` can be called again", "remove it");

  if (matchConditions.length > MAX_MATCH_CONDITIONS)
    reject("matchConditions", `${matchConditions.length} are too many`, `use at most ${MAX_MATCH_CONDITIONS}`);
  const names = matchConditions.map((condition) => condition.name);
  for (const [i, condition] of matchConditions.entries()) {
    const at = `matchConditions[${i}]`;
    if (!QUALIFIED_NAME.test(condition.name))
      reject(`${at}.name`, `${JSON.stringify(condition.name)} is not a valid name`, 'use a name like "not-a-node"');
    if (names.indexOf(condition.name) !== i) reject(`${at}.name`, `${condition.name} is used twice`, "use another name");
    if (condition.expression.trim() === "") reject(`${at}.expression`, "it is empty", "write a CEL expression of type bool");
  }
  checkSelector("namespaceSelector", registration.namespaceSelector);
  checkSelector("objectSelector", registration.objectSelector);

  function checkSelector(option: string, value: LabelSelector | undefined): void {
    for (const [key, label] of Object.entries(value?.matchLabels ?? {})) checkLabel(`${option}.matchLabels`, key, [label]);
    for (const [i, { key, operator, values = [] }] of (value?.matchExpressions ?? []).entries()) {
      const at = `${option}.matchExpressions[${i}]`;
      checkOneOf(`${at}.operator`, operator, ["In", "NotIn", "Exists", "DoesNotExist"]);
      const takesValues = operator === "In" || operator === "NotIn";
      if (takesValues !== values.length > 0)
        reject(
          `${at}.values`,
          takesValues ? `${operator} needs values` : `${operator} takes no values`,
          "In and NotIn take values, Exists and DoesNotExist do not",
        );
      checkLabel(at, key, values);
    }
  }
  function checkLabel(at: string, key: string, values: readonly string[]): void {
    if (!QUALIFIED_NAME.test(key)) reject(at, `${JSON.stringify(key)} is not a label key`, 'use a key like "example.com/team"');
    for (const each of values)
      if (!LABEL_VALUE.test(each)) reject(at, `${JSON.stringify(each)} is not a label value`, "use at most 63 letters, digits, - _ and .");
  }
}

/** Whether the kind was made by `defineResource`, so that all its subresources are known. */
function isCustomResource(kind: KindInfo): boolean {
  return "crd" in kind;
}
