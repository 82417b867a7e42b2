import { readFileSync } from "node:fs";
import { PintleError } from "pintle/internal/errors";
import { isJsonObject } from "pintle/internal/json";
import { decodeYaml } from "../../codec/index.ts";
import { type FieldError, fieldError } from "../../status/index.ts";
import type { AuditPolicy, AuditPolicyRule } from "./policy.ts";

const API_VERSION = "audit.k8s.io/v1";
const LEVELS = ["None", "Metadata", "Request", "RequestResponse"];
const STAGES = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];
const RULE_LISTS = ["users", "userGroups", "verbs", "namespaces", "nonResourceURLs", "omitStages"] as const;

/** Reads a policy from a file in YAML or JSON. Throws PintleError. */
export async function readPolicyFile(file: string): Promise<AuditPolicy> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw policyError(`cannot read the audit policy ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    return checkPolicy((await decodeYaml(text)).value, file);
  } catch (error) {
    if (error instanceof PintleError) throw error;
    throw policyError(`the audit policy ${file} cannot be decoded: ${(error as Error).message}`);
  }
}

/** Checks a policy as kube-apiserver does. Throws PintleError with every problem. */
export function checkPolicy(value: unknown, source = "of startCluster"): AuditPolicy {
  const problem = findShapeProblem(value);
  if (problem !== undefined) throw policyError(`the audit policy ${source} cannot be used: ${problem}`);
  const policy = value as AuditPolicy;
  const errors = [
    ...validateStages(policy.omitStages, "omitStages"),
    ...policy.rules.flatMap((rule, i) => [...validateRule(rule, `rules[${i}]`)]),
  ];
  if (errors.length === 0) return policy;
  const texts = errors.map(({ field, detail }) => `${field}: ${detail}`);
  throw policyError(`the audit policy ${source} is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`}`);
}

function findShapeProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return "it is not an object";
  const { apiVersion = API_VERSION, kind = "Policy", rules } = value;
  if (apiVersion !== API_VERSION || kind !== "Policy") return `it must have apiVersion ${API_VERSION} and kind Policy`;
  if (!Array.isArray(rules) || rules.length === 0) return "it has no rules";
  for (const [index, rule] of rules.entries()) {
    if (!isJsonObject(rule)) return `rules[${index}] is not an object`;
    const wrong = RULE_LISTS.find((field) => !isStringList(rule[field]));
    if (wrong !== undefined) return `rules[${index}].${wrong} is not a list of strings`;
    const { resources = [] } = rule;
    if (!Array.isArray(resources) || !resources.every(isGroupResources))
      return `rules[${index}].resources is not a list of group and resources`;
  }
  return isStringList(value["omitStages"]) ? undefined : "omitStages is not a list of strings";
}

const isStringList = (value: unknown) =>
  (value ?? undefined) === undefined || (Array.isArray(value) && value.every((each) => typeof each === "string"));
const isGroupResources = (value: unknown) =>
  isJsonObject(value) &&
  typeof (value["group"] ?? "") === "string" &&
  isStringList(value["resources"]) &&
  isStringList(value["resourceNames"]);

function* validateRule(rule: AuditPolicyRule, field: string): Iterable<FieldError> {
  const { level, resources = [], namespaces = [], nonResourceURLs = [] } = rule;
  if (!level) yield fieldError.required(`${field}.level`);
  else if (!LEVELS.includes(level)) yield fieldError.notSupported(`${field}.level`, level, LEVELS);
  for (const [i, url] of nonResourceURLs.entries()) yield* validatePath(url, `${field}.nonResourceURLs[${i}]`);
  for (const { resources: names = [], resourceNames = [] } of resources) {
    if (resourceNames.length === 0 || names.length > 0) continue;
    yield fieldError.invalid(`${field}.resources.resourceNames`, resourceNames, "using resourceNames requires at least one resource");
  }
  yield* validateStages(rule.omitStages, `${field}.omitStages`);
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    const why = "rules cannot apply to both regular resources and non-resource URLs";
    yield fieldError.invalid(`${field}.nonResourceURLs`, nonResourceURLs, why);
  }
}

function* validatePath(url: string, field: string): Iterable<FieldError> {
  if (url === "*") return;
  if (!url.startsWith("/")) yield fieldError.invalid(field, url, "non-resource URL rules must begin with a '/' character");
  if (url.slice(0, -1).includes("*")) {
    yield fieldError.invalid(field, url, "non-resource URL wildcards '*' must be the final character of the rule");
  }
}

function validateStages(stages: readonly string[] = [], field: string): readonly FieldError[] {
  return stages.flatMap((stage, i) =>
    STAGES.includes(stage) ? [] : [fieldError.invalid(`${field}[${i}]`, stage, `allowed stages are ${STAGES.join(",")}`)],
  );
}

function policyError(message: string): PintleError {
  return new PintleError("PINTLE6560", message);
}
