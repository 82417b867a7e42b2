import type { KindFacts, LabelSelector } from "../kinds/index.ts";
import { InvalidWebhook } from "./invalid-webhook.ts";
import type { Matching } from "./matching.ts";

const OPERATIONS = ["CREATE", "UPDATE", "DELETE", "CONNECT"];
/** The server never asks webhooks about these, so that a broken one can always be removed. */
const NEVER_ASKED = /^admissionregistration\.k8s\.io$/;
const QUALIFIED = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MOST_CONDITIONS = 64;

export interface Audited {
  readonly name: string | undefined;
  readonly matching: Matching;
  readonly defaults: boolean;
  readonly validates: boolean;
}

/** Throws InvalidWebhook for what an API server would refuse, or what could never be asked. */
export function audit(kind: KindFacts, { name, matching, defaults, validates }: Audited): void {
  const wrong = (option: string, problem: string, advice: string) => {
    throw new InvalidWebhook(kind.kind, option, problem, advice);
  };
  const oneOf = (option: string, value: string, allowed: readonly string[]) => {
    if (!allowed.includes(value)) wrong(option, `${JSON.stringify(value)} is not known`, `write ${allowed.join(" or ")}`);
  };
  const { operations, subresources, timeoutSeconds, matchConditions } = matching;
  if (NEVER_ASKED.test(kind.group)) wrong("kind", `no webhook is ever asked about ${kind.group}`, "choose another kind");
  if (!defaults && !validates) wrong("default, validate", "there is neither", "write at least one of them");
  if (name !== undefined && !DNS_LABEL.test(name))
    wrong("name", `${JSON.stringify(name)} cannot be part of a DNS name`, "write lower-case letters, digits and dashes, at most 63");

  if (operations.length === 0) wrong("operations", "none is given", "leave it out for CREATE and UPDATE");
  for (const operation of operations) oneOf("operations", operation, OPERATIONS);
  if (new Set(operations).size < operations.length) wrong("operations", "one is there twice", "write each once");
  if (defaults && operations.every((operation) => operation === "DELETE"))
    wrong("default", "what is being deleted cannot be changed", "use validate, or add CREATE or UPDATE");
  if (operations.includes("CONNECT") && subresources.length === 0)
    wrong("operations", "CONNECT is only about subresources", 'say which: subresources: ["exec"]');

  if (matching.onlySubresources && subresources.length === 0)
    wrong("onlySubresources", "there are none", 'say which: subresources: ["status"]');
  for (const subresource of subresources) {
    if (!/^[a-z]+$/.test(subresource)) wrong("subresources", `${JSON.stringify(subresource)} is none`, 'write its name alone: "status"');
    if (isOurs(kind) && !kind.subresources.includes(subresource))
      wrong("subresources", `${kind.kind} has no ${subresource}`, `it has: ${kind.subresources.join(", ") || "none"}`);
  }

  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 30)
    wrong("timeoutSeconds", `${timeoutSeconds} is not from 1 to 30`, "the server waits at most 30 s");
  oneOf("failurePolicy", matching.failurePolicy, ["Fail", "Ignore"]);
  oneOf("reinvocation", matching.reinvocation, ["Never", "IfNeeded"]);
  oneOf("matchPolicy", matching.matchPolicy, ["Equivalent", "Exact"]);
  oneOf("sideEffects", matching.sideEffects, ["None", "NoneOnDryRun"]);
  if (matching.reinvocation === "IfNeeded" && !defaults) wrong("reinvocation", "only `default` is asked again", "leave it out");

  if (matchConditions.length > MOST_CONDITIONS)
    wrong("matchConditions", `${matchConditions.length} are too many`, `write at most ${MOST_CONDITIONS}`);
  const names = matchConditions.map((condition) => condition.name);
  for (const [i, condition] of matchConditions.entries()) {
    const at = `matchConditions[${i}]`;
    if (!QUALIFIED.test(condition.name)) wrong(`${at}.name`, `${JSON.stringify(condition.name)} is no name`, 'write one as "not-a-node"');
    if (names.indexOf(condition.name) !== i) wrong(`${at}.name`, `${condition.name} is there twice`, "give it another");
    if (condition.expression.trim() === "") wrong(`${at}.expression`, "it is empty", "write CEL that gives true or false");
  }
  selector("namespaceSelector", matching.namespaceSelector);
  selector("objectSelector", matching.objectSelector);

  function selector(option: string, value: LabelSelector | undefined): void {
    for (const [key, label] of Object.entries(value?.matchLabels ?? {})) labelled(`${option}.matchLabels`, key, [label]);
    for (const [i, { key, operator, values = [] }] of (value?.matchExpressions ?? []).entries()) {
      const at = `${option}.matchExpressions[${i}]`;
      oneOf(`${at}.operator`, operator, ["In", "NotIn", "Exists", "DoesNotExist"]);
      const takesValues = operator === "In" || operator === "NotIn";
      if (takesValues !== values.length > 0)
        wrong(
          `${at}.values`,
          takesValues ? `${operator} needs some` : `${operator} takes none`,
          "In and NotIn take values, Exists and DoesNotExist none",
        );
      labelled(at, key, values);
    }
  }
  function labelled(at: string, key: string, values: readonly string[]): void {
    if (!QUALIFIED.test(key)) wrong(at, `${JSON.stringify(key)} is no label`, 'write a key as "example.com/team"');
    for (const each of values)
      if (!LABEL_VALUE.test(each))
        wrong(at, `${JSON.stringify(each)} is no value of a label`, "write at most 63 letters, digits, - _ and .");
  }
}

/** Only of our own resources every subresource is known. */
function isOurs(kind: KindFacts): boolean {
  return "crd" in kind;
}
