import { isJsonObject } from "pintle/internal/json";
import { mergeObjects } from "pintle/internal/merge";
import type { Json, JsonObject, Shape } from "pintle/kinds";
import type * as cel from "../../schema/cel/index.ts";
import { BudgetExceededError, createActivation, type ExpressionInputs } from "../expressions/activation.ts";
import { fromCelValue } from "../expressions/cel-values.ts";
import type { AdmissionExpression, ExpressionEnvironment } from "../expressions/environment.ts";
import { APPLY_CONFIGURATION_RESULT, findMisplacedTypes, findPatchType, JSON_PATCH_RESULT } from "../expressions/patch-types.ts";
import { applyPatchOperations, PatchError } from "../webhook/json-patch.ts";
import type { PolicySpec } from "./policy-spec.ts";

export interface MutatingSpec extends PolicySpec {
  readonly mutations?: readonly Mutation[] | undefined;
  readonly reinvocationPolicy?: "Never" | "IfNeeded" | undefined;
}

interface Mutation {
  readonly patchType: "ApplyConfiguration" | "JSONPatch";
  readonly applyConfiguration?: { readonly expression: string } | undefined;
  readonly jsonPatch?: { readonly expression: string } | undefined;
}

export interface CompiledMutation {
  readonly type: Mutation["patchType"];
  readonly expression: AdmissionExpression;
}

export function compileMutations({ mutations = [] }: MutatingSpec, environment: ExpressionEnvironment): readonly CompiledMutation[] {
  return mutations.map(({ patchType, applyConfiguration, jsonPatch }) => {
    const { expression = "" } = (patchType === "JSONPatch" ? jsonPatch : applyConfiguration) ?? {};
    const expected = patchType === "JSONPatch" ? JSON_PATCH_RESULT : APPLY_CONFIGURATION_RESULT;
    return { type: patchType, expression: environment.compile(expression, expected, { structs: findPatchType }) };
  });
}

/** A failed mutation; the policy's failurePolicy decides. */
export class MutationError extends Error {
  override readonly name = "MutationFailure";
}

const MUTATION_COST_BUDGET = 10_000_000;

/** Applies a mutation to the object. Throws `MutationError`. */
export function applyMutation(
  { type, expression }: CompiledMutation,
  environment: ExpressionEnvironment,
  inputs: ExpressionInputs & { readonly object: JsonObject },
  shape: Shape,
): JsonObject {
  if (expression.compileError !== undefined) throw new MutationError(expression.compileError);
  const value = evaluateMutation(expression, environment, inputs);
  return type === "JSONPatch"
    ? applyJsonPatchMutation(inputs.object, value as cel.ListValue)
    : applyConfigurationMutation(inputs.object, value, shape);
}

function evaluateMutation(expression: AdmissionExpression, environment: ExpressionEnvironment, inputs: ExpressionInputs): cel.Value {
  try {
    const outcome = createActivation(inputs, environment, MUTATION_COST_BUDGET).evaluate(expression);
    if ("error" in outcome) throw new MutationError(outcome.error);
    return outcome.value;
  } catch (error) {
    throw error instanceof BudgetExceededError ? new MutationError(error.message) : error;
  }
}

function applyJsonPatchMutation(object: JsonObject, operations: cel.ListValue): JsonObject {
  try {
    return applyPatchOperations(object, fromCelValue(operations) as readonly JsonObject[]);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    // A failed test operation means that there is nothing to change.
    if (error.message.endsWith("failed: test failed")) return object;
    throw new MutationError(`JSON Patch: ${error.message}`);
  }
}

function applyConfigurationMutation(object: JsonObject, value: cel.Value, shape: Shape): JsonObject {
  const wrong = findMisplacedTypes(value);
  if (wrong !== undefined) throw new MutationError(`type mismatch: ${wrong}`);
  const { kind, apiVersion } = object;
  const configuration = { ...(fromCelValue(value) as JsonObject), kind, apiVersion };
  const atomicPaths = findAtomicPaths(configuration, shape);
  if (atomicPaths.length > 0) {
    const reason = `may not mutate atomic arrays, maps or structs: ${atomicPaths.join(", ")}`;
    throw new MutationError(`error applying patch: invalid ApplyConfiguration: ${reason}`);
  }
  return mergeObjects(object, configuration, shape);
}

/** Returns the paths of atomic lists, maps and structs in a configuration: applying part of them would lose the rest. */
function findAtomicPaths(value: Json | undefined, shape: Shape, path = ""): readonly string[] {
  if (Array.isArray(value)) {
    if (shape.items === undefined) return [];
    const own = shape.list === undefined || shape.list === "atomic" ? [path] : [];
    return [
      ...own,
      ...(value as readonly Json[]).flatMap((item, index) => findAtomicPaths(item, shape.items as Shape, `${path}[${index}]`)),
    ];
  }
  if (!isJsonObject(value)) return [];
  const own = shape.atomic ? [path] : [];
  const inside = Object.entries(value).flatMap(([name, part]) => {
    const field = shape.fields !== undefined && Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    return field === undefined ? [] : findAtomicPaths(part, field, `${path}.${name}`);
  });
  return [...own, ...inside];
}
