import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Mutation,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  Validation,
  Variable,
} from "pintle/kinds/admissionregistration/v1";
import {
  ANNOTATION,
  CONDITION,
  CONFIGURATION,
  type Environment,
  environment,
  MESSAGE,
  OPERATIONS,
  patchTypes,
} from "../../admission/index.ts";
import { dns1035Problems, dnsSubdomainProblems, fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { mutatingPolicyTable, policyBindingTable, validatingPolicyTable } from "../table/others.ts";
import { labelSelector } from "../validate/labels.ts";
import { dnsSubdomain, maybeOneOf, oneOf, type Problems, qualifiedName, required } from "../validate/problems.ts";
import { expressionProblems, matchConditions } from "./expressions.ts";
import { operationsRule } from "./webhook.ts";

const ACTIONS = ["Audit", "Deny", "Warn"];

export const validatingAdmissionPolicy = rules<ValidatingAdmissionPolicy>({
  validate: function* ({ metadata, spec }) {
    yield* given("spec.failurePolicy", spec?.failurePolicy, ["Fail", "Ignore"]);
    yield* paramKind("spec.paramKind", spec?.paramKind);
    yield* constraints("spec.matchConstraints", spec?.matchConstraints);
    yield* matchConditions("spec.matchConditions", spec?.matchConditions, spec?.paramKind != null);
    const within = environment({ params: spec?.paramKind != null, composed: !!spec?.variables?.length });
    yield* variables("spec.variables", spec?.variables, within);
    if (!spec?.validations?.length && !spec?.auditAnnotations?.length) {
      const why = "validations or auditAnnotations must contain at least one item";
      yield fieldError.required("spec.validations", why);
      yield fieldError.required("spec.auditAnnotations", why);
    }
    for (const [i, validation] of (spec?.validations ?? []).entries())
      yield* validationProblems(`spec.validations[${i}]`, validation, within);
    yield* annotations("spec.auditAnnotations", metadata?.name ?? "", spec?.auditAnnotations, within);
  },
  table: validatingPolicyTable,
});

const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function* validationProblems(field: string, validation: Loose<Validation>, within: Environment): Problems {
  const { expression = "", message = "", messageExpression = "", reason } = validation;
  if (!expression?.trim()) yield fieldError.required(`${field}.expression`, "expression is not specified");
  else yield* expressionProblems(`${field}.expression`, expression, CONDITION, within);
  if (messageExpression && !messageExpression.trim()) {
    yield fieldError.invalid(`${field}.messageExpression`, messageExpression, "must be non-empty if specified");
  } else if (messageExpression) {
    yield* expressionProblems(`${field}.messageExpression`, messageExpression, MESSAGE, within, { authorizer: false });
  }
  if (message && !message.trim()) yield fieldError.invalid(`${field}.message`, message, "must be non-empty if specified");
  else if (message && /[\n\r]/.test(message.trim())) yield fieldError.invalid(`${field}.message`, message, "must not contain line breaks");
  yield* maybeOneOf(`${field}.reason`, reason, REASONS);
}

const LONGEST_ANNOTATION = 5 * 1024;
const MOST_ANNOTATIONS = 20;
type Annotations = NonNullable<Loose<ValidatingAdmissionPolicy>["spec"]>["auditAnnotations"];

function* annotations(field: string, policy: string, all: Annotations, within: Environment): Problems {
  const keys = new Set<string>();
  if ((all?.length ?? 0) > MOST_ANNOTATIONS) {
    yield fieldError.invalid(field, all, `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`);
  }
  for (const [i, { key, valueExpression }] of (all ?? []).entries()) {
    if (policy === "") yield fieldError.invalid(`${field}[${i}].key`, key, "requires metadata.name be non-empty");
    else yield* qualifiedName(`${field}[${i}].key`, `${policy}/${key ?? ""}`);
    const source = valueExpression?.trim() ?? "";
    const at = `${field}[${i}].valueExpression`;
    if (source === "") yield fieldError.required(at, "valueExpression is not specified");
    else if (Buffer.byteLength(source) > LONGEST_ANNOTATION) {
      yield fieldError.required(at, `must not exceed ${LONGEST_ANNOTATION} bytes in length`);
    } else yield* expressionProblems(at, source, ANNOTATION, within);
    if (keys.has(key ?? "")) yield fieldError.duplicate(`${field}[${i}].key`, key);
    keys.add(key ?? "");
  }
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

function* variables(field: string, all: readonly Loose<Variable>[] | null | undefined, within: Environment): Problems {
  for (const [i, { name, expression }] of (all ?? []).entries()) {
    if (!name?.trim()) yield fieldError.required(`${field}[${i}].name`, "name is not specified");
    else if (!IDENTIFIER.test(name) || RESERVED.has(name))
      yield fieldError.invalid(`${field}[${i}].name`, name, "must be a valid CEL identifier");
    if (!expression?.trim()) {
      yield fieldError.required(`${field}[${i}].expression`, "expression is not specified");
      continue;
    }
    const { problem } = within.declare(name ?? "", expression);
    if (problem !== undefined) yield fieldError.invalid(`${field}[${i}].expression`, expression, problem);
  }
}

function* paramKind(field: string, of: Loose<ParamKind> | null | undefined): Problems {
  if (!of) return;
  const { apiVersion = "", kind = "" } = of;
  if (!apiVersion) yield fieldError.required(`${field}.apiVersion`);
  else if (apiVersion.split("/").length > 2) {
    yield fieldError.invalid(`${field}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  } else {
    const [group, version] = apiVersion.includes("/") ? (apiVersion.split("/") as [string, string]) : ["", apiVersion];
    if (group !== "") yield* joined(`${field}.apiVersion`, group, dnsSubdomainProblems(group));
    if (version === "") yield fieldError.invalid(`${field}.apiVersion`, apiVersion, "version must be specified");
    else yield* joined(`${field}.apiVersion`, version, dns1035Problems(version));
  }
  if (!kind) return yield fieldError.required(`${field}.kind`);
  const wrong = dns1035Problems(kind.toLowerCase());
  if (wrong.length > 0)
    yield fieldError.invalid(`${field}.kind`, kind, `may have mixed case, but should otherwise match: ${wrong.join(",")}`);
}

function* joined(field: string, value: string, problems: readonly string[]): Problems {
  if (problems.length > 0) yield fieldError.invalid(field, value, problems.join(","));
}

export const mutatingAdmissionPolicy = rules<MutatingAdmissionPolicy>({
  validate: function* ({ spec }) {
    yield* given("spec.failurePolicy", spec?.failurePolicy, ["Fail", "Ignore"]);
    yield* paramKind("spec.paramKind", spec?.paramKind);
    yield* constraints("spec.matchConstraints", spec?.matchConstraints);
    yield* mutatingOperations(spec?.matchConstraints?.resourceRules);
    yield* matchConditions("spec.matchConditions", spec?.matchConditions, spec?.paramKind != null);
    const within = environment({ params: spec?.paramKind != null, composed: true });
    yield* variables("spec.variables", spec?.variables, within);
    yield* required("spec.mutations", spec?.mutations, "mutations must contain at least one item");
    for (const [i, mutation] of (spec?.mutations ?? []).entries()) yield* mutationProblems(`spec.mutations[${i}]`, mutation, within);
    yield* oneOf("spec.reinvocationPolicy", spec?.reinvocationPolicy, ["IfNeeded", "Never"]);
  },
  table: mutatingPolicyTable,
});

const MUTABLE = ["*", "CONNECT", "CREATE", "UPDATE"];

/** What is deleted cannot be changed on its way. */
function* mutatingOperations(all: Loose<MatchResources>["resourceRules"]): Problems {
  for (const { operations } of all ?? []) {
    for (const operation of operations ?? []) yield* maybeOneOf("spec.matchConstraints.resourceRules.operations", operation, MUTABLE);
  }
}

/** The field of a mutation by its type. */
const PATCHES = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;

function* mutationProblems(field: string, mutation: Loose<Mutation>, within: Environment): Problems {
  const type = mutation.patchType as keyof typeof PATCHES;
  yield* oneOf(`${field}.patchType`, type, Object.keys(PATCHES));
  const own = PATCHES[type];
  if (own === undefined) return;
  const patch = mutation[own];
  if (!patch) yield fieldError.required(`${field}.${own}`, `must be specified when patchType is ${type}`);
  else if (!patch.expression?.trim()) yield fieldError.required(`${field}.${own}.expression`);
  else {
    const wanted = type === "JSONPatch" ? OPERATIONS : CONFIGURATION;
    yield* expressionProblems(`${field}.${own}.expression`, patch.expression.trim(), wanted, within, { structs: patchTypes });
  }
  for (const other of Object.values(PATCHES)) {
    if (other !== own && mutation[other]) {
      yield fieldError.invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`);
    }
  }
}

export const validatingAdmissionPolicyBinding = rules<ValidatingAdmissionPolicyBinding>({
  validate: function* ({ spec }) {
    yield* binding(spec ?? {});
    const actions = spec?.validationActions ?? [];
    for (const [i, action] of actions.entries()) {
      yield* maybeOneOf(`spec.validationActions[${i}]`, action, ACTIONS);
      if (actions.indexOf(action) < i) yield fieldError.duplicate(`spec.validationActions[${i}]`, action);
    }
    if (actions.includes("Deny") && actions.includes("Warn")) {
      const why =
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
      yield fieldError.invalid("spec.validationActions", actions, why);
    }
    yield* required("spec.validationActions", actions, "at least one validation action is required");
  },
  table: policyBindingTable,
});

export const mutatingAdmissionPolicyBinding = rules<MutatingAdmissionPolicyBinding>({
  validate: ({ spec }) => binding(spec ?? {}),
  table: policyBindingTable,
});

/** Required, where an empty text is a value like any other. */
function* given(field: string, value: string | null | undefined, supported: readonly string[]): Problems {
  if (value == null) yield fieldError.required(field);
  else yield* maybeOneOf(field, value, supported);
}

function* constraints(field: string, match: Loose<MatchResources> | null | undefined): Problems {
  if (!match) return yield fieldError.required(field);
  yield* matchResources(field, match);
  yield* required(`${field}.resourceRules`, match.resourceRules);
}

function* matchResources(field: string, match: Loose<MatchResources>): Problems {
  yield* given(`${field}.matchPolicy`, match.matchPolicy, ["Equivalent", "Exact"]);
  yield* labelSelector(`${field}.namespaceSelector`, match.namespaceSelector);
  yield* labelSelector(`${field}.objectSelector`, match.objectSelector);
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    for (const [i, rule] of (match[list] ?? []).entries()) yield* operationsRule(`${field}.${list}[${i}]`, rule);
  }
}

type BindingSpec = NonNullable<Loose<MutatingAdmissionPolicyBinding>["spec"]>;

function* binding({ policyName, paramRef, matchResources: match }: BindingSpec): Problems {
  if (!policyName) yield fieldError.required("spec.policyName");
  else yield* dnsSubdomain("spec.policyName", policyName);
  if (paramRef) yield* parameters("spec.paramRef", paramRef);
  if (match) yield* matchResources("spec.matchResources", match);
}

function* parameters(field: string, { name, selector, parameterNotFoundAction: action }: Loose<ParamRef>): Problems {
  const both = name && selector;
  if (both) yield fieldError.forbidden(`${field}.name`, "name and selector are mutually exclusive");
  yield* labelSelector(`${field}.selector`, selector);
  if (both) yield fieldError.forbidden(`${field}.selector`, "name and selector are mutually exclusive");
  if (!name && !selector) yield fieldError.required(field, "one of name or selector must be specified");
  yield* oneOf(`${field}.parameterNotFoundAction`, action, ["Deny", "Allow"]);
}
