import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Mutation,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "pintle/kinds/admissionregistration/v1";
import { fieldError } from "../../status/index.ts";
import type { Loose } from "../draft.ts";
import { rules } from "../rules.ts";
import { mutatingPolicyTable, policyBindingTable, validatingPolicyTable } from "../table/others.ts";
import { labelSelector } from "../validate/labels.ts";
import { dnsSubdomain, maybeOneOf, oneOf, type Problems, qualifiedName, required } from "../validate/problems.ts";
import { operationsRule } from "./webhook.ts";

const ACTIONS = ["Audit", "Deny", "Warn"];

/** Expressions are looked at where they are compiled, not here. */
export const validatingAdmissionPolicy = rules<ValidatingAdmissionPolicy>({
  validate: function* ({ spec }) {
    yield* given("spec.failurePolicy", spec?.failurePolicy, ["Fail", "Ignore"]);
    yield* constraints("spec.matchConstraints", spec?.matchConstraints);
    yield* conditions("spec.matchConditions", spec?.matchConditions);
    if (!spec?.validations?.length && !spec?.auditAnnotations?.length) {
      const why = "validations or auditAnnotations must contain at least one item";
      yield fieldError.required("spec.validations", why);
      yield fieldError.required("spec.auditAnnotations", why);
    }
    for (const [i, { expression, message }] of (spec?.validations ?? []).entries()) {
      if (!expression?.trim()) yield fieldError.required(`spec.validations[${i}].expression`, "expression is not specified");
      if (message?.trim() === "" && message !== "") {
        yield fieldError.invalid(`spec.validations[${i}].message`, message, "message must be non-empty if specified");
      }
    }
  },
  table: validatingPolicyTable,
});

export const mutatingAdmissionPolicy = rules<MutatingAdmissionPolicy>({
  validate: function* ({ spec }) {
    yield* given("spec.failurePolicy", spec?.failurePolicy, ["Fail", "Ignore"]);
    yield* constraints("spec.matchConstraints", spec?.matchConstraints);
    yield* conditions("spec.matchConditions", spec?.matchConditions);
    yield* mutatingOperations(spec?.matchConstraints?.resourceRules);
    yield* required("spec.mutations", spec?.mutations, "mutations must contain at least one item");
    for (const [i, mutation] of (spec?.mutations ?? []).entries()) yield* mutationProblems(`spec.mutations[${i}]`, mutation);
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

function* mutationProblems(field: string, mutation: Loose<Mutation>): Problems {
  const type = mutation.patchType as keyof typeof PATCHES;
  yield* oneOf(`${field}.patchType`, type, Object.keys(PATCHES));
  const own = PATCHES[type];
  if (own === undefined) return;
  const patch = mutation[own];
  if (!patch) yield fieldError.required(`${field}.${own}`, `must be specified when patchType is ${type}`);
  else if (!patch.expression?.trim()) yield fieldError.required(`${field}.${own}.expression`);
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

type Conditions = readonly Loose<{ readonly name: string; readonly expression: string }>[] | null | undefined;

function* conditions(field: string, all: Conditions): Problems {
  const names = new Set<string>();
  for (const [i, { name, expression }] of (all ?? []).entries()) {
    if (!expression?.trim()) yield fieldError.required(`${field}[${i}].expression`);
    if (!name) yield fieldError.required(`${field}[${i}].name`);
    else yield* qualifiedName(`${field}[${i}].name`, name);
    if (name && names.has(name)) yield fieldError.duplicate(`${field}[${i}].name`, name);
    names.add(name ?? "");
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
