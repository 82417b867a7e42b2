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
  ANNOTATION_RESULT,
  APPLY_CONFIGURATION_RESULT,
  CONDITION_RESULT,
  createExpressionEnvironment,
  type ExpressionEnvironment,
  findPatchType,
  JSON_PATCH_RESULT,
  MESSAGE_RESULT,
} from "../../../admission/index.ts";
import { fieldError, validateDns1035Label, validateDnsSubdomain } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { mutatingPolicyPrinter, policyBindingPrinter, validatingPolicyPrinter } from "../../printers/others.ts";
import { validateLabelSelector } from "../../validation/labels.ts";
import {
  type FieldErrors,
  validateDnsSubdomainField,
  validateEnum,
  validateQualifiedNameField,
  validateRequired,
  validateRequiredEnum,
} from "../../validation/validators.ts";
import { defineStrategy } from "../kind-strategy.ts";
import { validateExpression, validateMatchConditions } from "./expressions.ts";
import { validateRuleWithOperations } from "./webhook.ts";

const ACTIONS = ["Audit", "Deny", "Warn"];

export const validatingAdmissionPolicyStrategy = defineStrategy<ValidatingAdmissionPolicy>({
  validate: function* ({ metadata, spec }) {
    yield* validateRequiredEnumAllowingEmpty("spec.failurePolicy", spec?.failurePolicy, ["Fail", "Ignore"]);
    yield* validateParamKind("spec.paramKind", spec?.paramKind);
    yield* validateMatchConstraints("spec.matchConstraints", spec?.matchConstraints);
    yield* validateMatchConditions("spec.matchConditions", spec?.matchConditions, spec?.paramKind != null);
    const within = createExpressionEnvironment({ hasParams: spec?.paramKind != null, hasVariables: !!spec?.variables?.length });
    yield* validateVariables("spec.variables", spec?.variables, within);
    if (!spec?.validations?.length && !spec?.auditAnnotations?.length) {
      const why = "validations or auditAnnotations must contain at least one item";
      yield fieldError.required("spec.validations", why);
      yield fieldError.required("spec.auditAnnotations", why);
    }
    for (const [i, validation] of (spec?.validations ?? []).entries())
      yield* validateValidation(`spec.validations[${i}]`, validation, within);
    yield* validateAuditAnnotations("spec.auditAnnotations", metadata?.name ?? "", spec?.auditAnnotations, within);
  },
  tablePrinter: validatingPolicyPrinter,
});

const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function* validateValidation(field: string, validation: Unvalidated<Validation>, within: ExpressionEnvironment): FieldErrors {
  const { expression = "", message = "", messageExpression = "", reason } = validation;
  if (!expression?.trim()) yield fieldError.required(`${field}.expression`, "expression is not specified");
  else yield* validateExpression(`${field}.expression`, expression, CONDITION_RESULT, within);
  if (messageExpression && !messageExpression.trim()) {
    yield fieldError.invalid(`${field}.messageExpression`, messageExpression, "must be non-empty if specified");
  } else if (messageExpression) {
    yield* validateExpression(`${field}.messageExpression`, messageExpression, MESSAGE_RESULT, within, { authorizer: false });
  }
  if (message && !message.trim()) yield fieldError.invalid(`${field}.message`, message, "must be non-empty if specified");
  else if (message && /[\n\r]/.test(message.trim())) yield fieldError.invalid(`${field}.message`, message, "must not contain line breaks");
  yield* validateEnum(`${field}.reason`, reason, REASONS);
}

const MAX_ANNOTATION_BYTES = 5 * 1024;
const MAX_ANNOTATIONS = 20;
type AuditAnnotations = NonNullable<Unvalidated<ValidatingAdmissionPolicy>["spec"]>["auditAnnotations"];

function* validateAuditAnnotations(field: string, policy: string, all: AuditAnnotations, within: ExpressionEnvironment): FieldErrors {
  const keys = new Set<string>();
  if ((all?.length ?? 0) > MAX_ANNOTATIONS) {
    yield fieldError.invalid(field, all, `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`);
  }
  for (const [i, { key, valueExpression }] of (all ?? []).entries()) {
    if (policy === "") yield fieldError.invalid(`${field}[${i}].key`, key, "requires metadata.name be non-empty");
    else yield* validateQualifiedNameField(`${field}[${i}].key`, `${policy}/${key ?? ""}`);
    const source = valueExpression?.trim() ?? "";
    const at = `${field}[${i}].valueExpression`;
    if (source === "") yield fieldError.required(at, "valueExpression is not specified");
    else if (Buffer.byteLength(source) > MAX_ANNOTATION_BYTES) {
      yield fieldError.required(at, `must not exceed ${MAX_ANNOTATION_BYTES} bytes in length`);
    } else yield* validateExpression(at, source, ANNOTATION_RESULT, within);
    if (keys.has(key ?? "")) yield fieldError.duplicate(`${field}[${i}].key`, key);
    keys.add(key ?? "");
  }
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

function* validateVariables(
  field: string,
  all: readonly Unvalidated<Variable>[] | null | undefined,
  within: ExpressionEnvironment,
): FieldErrors {
  for (const [i, { name, expression }] of (all ?? []).entries()) {
    if (!name?.trim()) yield fieldError.required(`${field}[${i}].name`, "name is not specified");
    else if (!IDENTIFIER.test(name) || RESERVED.has(name))
      yield fieldError.invalid(`${field}[${i}].name`, name, "must be a valid CEL identifier");
    if (!expression?.trim()) {
      yield fieldError.required(`${field}[${i}].expression`, "expression is not specified");
      continue;
    }
    const { compileError } = within.declareVariable(name ?? "", expression);
    if (compileError !== undefined) yield fieldError.invalid(`${field}[${i}].expression`, expression, compileError);
  }
}

function* validateParamKind(field: string, of: Unvalidated<ParamKind> | null | undefined): FieldErrors {
  if (!of) return;
  const { apiVersion = "", kind = "" } = of;
  if (!apiVersion) yield fieldError.required(`${field}.apiVersion`);
  else if (apiVersion.split("/").length > 2) {
    yield fieldError.invalid(`${field}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  } else {
    const [group, version] = apiVersion.includes("/") ? (apiVersion.split("/") as [string, string]) : ["", apiVersion];
    if (group !== "") yield* validateJoined(`${field}.apiVersion`, group, validateDnsSubdomain(group));
    if (version === "") yield fieldError.invalid(`${field}.apiVersion`, apiVersion, "version must be specified");
    else yield* validateJoined(`${field}.apiVersion`, version, validateDns1035Label(version));
  }
  if (!kind) return yield fieldError.required(`${field}.kind`);
  const wrong = validateDns1035Label(kind.toLowerCase());
  if (wrong.length > 0)
    yield fieldError.invalid(`${field}.kind`, kind, `may have mixed case, but should otherwise match: ${wrong.join(",")}`);
}

function* validateJoined(field: string, value: string, problems: readonly string[]): FieldErrors {
  if (problems.length > 0) yield fieldError.invalid(field, value, problems.join(","));
}

export const mutatingAdmissionPolicyStrategy = defineStrategy<MutatingAdmissionPolicy>({
  validate: function* ({ spec }) {
    yield* validateRequiredEnumAllowingEmpty("spec.failurePolicy", spec?.failurePolicy, ["Fail", "Ignore"]);
    yield* validateParamKind("spec.paramKind", spec?.paramKind);
    yield* validateMatchConstraints("spec.matchConstraints", spec?.matchConstraints);
    yield* validateMutatingOperations(spec?.matchConstraints?.resourceRules);
    yield* validateMatchConditions("spec.matchConditions", spec?.matchConditions, spec?.paramKind != null);
    const within = createExpressionEnvironment({ hasParams: spec?.paramKind != null, hasVariables: true });
    yield* validateVariables("spec.variables", spec?.variables, within);
    yield* validateRequired("spec.mutations", spec?.mutations, "mutations must contain at least one item");
    for (const [i, mutation] of (spec?.mutations ?? []).entries()) yield* validateMutation(`spec.mutations[${i}]`, mutation, within);
    yield* validateRequiredEnum("spec.reinvocationPolicy", spec?.reinvocationPolicy, ["IfNeeded", "Never"]);
  },
  tablePrinter: mutatingPolicyPrinter,
});

const MUTABLE_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Requires operations that can mutate objects; DELETE cannot. */
function* validateMutatingOperations(all: Unvalidated<MatchResources>["resourceRules"]): FieldErrors {
  for (const { operations } of all ?? []) {
    for (const operation of operations ?? [])
      yield* validateEnum("spec.matchConstraints.resourceRules.operations", operation, MUTABLE_OPERATIONS);
  }
}

/** The field of each patch type. */
const PATCH_FIELDS = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;

function* validateMutation(field: string, mutation: Unvalidated<Mutation>, within: ExpressionEnvironment): FieldErrors {
  const type = mutation.patchType as keyof typeof PATCH_FIELDS;
  yield* validateRequiredEnum(`${field}.patchType`, type, Object.keys(PATCH_FIELDS));
  const own = PATCH_FIELDS[type];
  if (own === undefined) return;
  const patch = mutation[own];
  if (!patch) yield fieldError.required(`${field}.${own}`, `must be specified when patchType is ${type}`);
  else if (!patch.expression?.trim()) yield fieldError.required(`${field}.${own}.expression`);
  else {
    const resultType = type === "JSONPatch" ? JSON_PATCH_RESULT : APPLY_CONFIGURATION_RESULT;
    yield* validateExpression(`${field}.${own}.expression`, patch.expression.trim(), resultType, within, { structs: findPatchType });
  }
  for (const other of Object.values(PATCH_FIELDS)) {
    if (other !== own && mutation[other]) {
      yield fieldError.invalid(`${field}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`);
    }
  }
}

export const validatingAdmissionPolicyBindingStrategy = defineStrategy<ValidatingAdmissionPolicyBinding>({
  validate: function* ({ spec }) {
    yield* validateBindingSpec(spec ?? {});
    const actions = spec?.validationActions ?? [];
    for (const [i, action] of actions.entries()) {
      yield* validateEnum(`spec.validationActions[${i}]`, action, ACTIONS);
      if (actions.indexOf(action) < i) yield fieldError.duplicate(`spec.validationActions[${i}]`, action);
    }
    if (actions.includes("Deny") && actions.includes("Warn")) {
      const why =
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
      yield fieldError.invalid("spec.validationActions", actions, why);
    }
    yield* validateRequired("spec.validationActions", actions, "at least one validation action is required");
  },
  tablePrinter: policyBindingPrinter,
});

export const mutatingAdmissionPolicyBindingStrategy = defineStrategy<MutatingAdmissionPolicyBinding>({
  validate: ({ spec }) => validateBindingSpec(spec ?? {}),
  tablePrinter: policyBindingPrinter,
});

/** Validates a required enum for which "" is an unsupported value instead of a missing one. */
function* validateRequiredEnumAllowingEmpty(field: string, value: string | null | undefined, supported: readonly string[]): FieldErrors {
  if (value == null) yield fieldError.required(field);
  else yield* validateEnum(field, value, supported);
}

function* validateMatchConstraints(field: string, match: Unvalidated<MatchResources> | null | undefined): FieldErrors {
  if (!match) return yield fieldError.required(field);
  yield* validateMatchResources(field, match);
  yield* validateRequired(`${field}.resourceRules`, match.resourceRules);
}

function* validateMatchResources(field: string, match: Unvalidated<MatchResources>): FieldErrors {
  yield* validateRequiredEnumAllowingEmpty(`${field}.matchPolicy`, match.matchPolicy, ["Equivalent", "Exact"]);
  yield* validateLabelSelector(`${field}.namespaceSelector`, match.namespaceSelector);
  yield* validateLabelSelector(`${field}.objectSelector`, match.objectSelector);
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    for (const [i, rule] of (match[list] ?? []).entries()) yield* validateRuleWithOperations(`${field}.${list}[${i}]`, rule);
  }
}

type BindingSpec = NonNullable<Unvalidated<MutatingAdmissionPolicyBinding>["spec"]>;

function* validateBindingSpec({ policyName, paramRef, matchResources: match }: BindingSpec): FieldErrors {
  if (!policyName) yield fieldError.required("spec.policyName");
  else yield* validateDnsSubdomainField("spec.policyName", policyName);
  if (paramRef) yield* validateParamRef("spec.paramRef", paramRef);
  if (match) yield* validateMatchResources("spec.matchResources", match);
}

function* validateParamRef(field: string, { name, selector, parameterNotFoundAction: action }: Unvalidated<ParamRef>): FieldErrors {
  const both = name && selector;
  if (both) yield fieldError.forbidden(`${field}.name`, "name and selector are mutually exclusive");
  yield* validateLabelSelector(`${field}.selector`, selector);
  if (both) yield fieldError.forbidden(`${field}.selector`, "name and selector are mutually exclusive");
  if (!name && !selector) yield fieldError.required(field, "one of name or selector must be specified");
  yield* validateRequiredEnum(`${field}.parameterNotFoundAction`, action, ["Deny", "Allow"]);
}
