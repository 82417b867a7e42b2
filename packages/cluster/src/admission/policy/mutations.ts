import type { JsonObject } from "pintle/kinds";
import { merge } from "pintle/merge";
import type { cel } from "../../schema/index.ts";
import { activation, decided, OutOfBudget, type Situation } from "../expressions/activation.ts";
import type { Environment, Expression } from "../expressions/environment.ts";
import { jsonOf } from "../expressions/json.ts";
import { CONFIGURATION, misplaced, OPERATIONS, patchTypes } from "../expressions/patch-types.ts";
import { PatchFailure, patched } from "../webhook/patch.ts";
import { atomics } from "./atomics.ts";
import type { PolicySpec } from "./stored.ts";

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
  readonly expression: Expression;
}

export function compileMutations({ mutations = [] }: MutatingSpec, within: Environment): readonly CompiledMutation[] {
  return mutations.map(({ patchType, applyConfiguration, jsonPatch }) => {
    const { expression = "" } = (patchType === "JSONPatch" ? jsonPatch : applyConfiguration) ?? {};
    const wanted = patchType === "JSONPatch" ? OPERATIONS : CONFIGURATION;
    return { type: patchType, expression: within.compile(expression, wanted, { structs: patchTypes }) };
  });
}

/** A mutation that cannot be made; the policy's failurePolicy decides. */
export class MutationFailure extends Error {
  override readonly name = "MutationFailure";
}

const BUDGET = 10_000_000;

/** What a mutation makes of the object, by its shape. Throws a MutationFailure. */
export async function mutated(
  { type, expression }: CompiledMutation,
  within: Environment,
  situation: Situation & { readonly object: JsonObject },
  shape: Parameters<typeof merge>[2],
): Promise<JsonObject> {
  if (expression.problem !== undefined) throw new MutationFailure(expression.problem);
  const value = await decided(situation, (decide) => {
    try {
      const outcome = activation(situation, within, BUDGET, decide).evaluate(expression);
      if ("error" in outcome) throw new MutationFailure(outcome.error);
      return outcome.value;
    } catch (error) {
      throw error instanceof OutOfBudget ? new MutationFailure(error.message) : error;
    }
  });
  return type === "JSONPatch"
    ? withOperations(situation.object, value as cel.ListValue)
    : withConfiguration(situation.object, value, shape);
}

function withOperations(object: JsonObject, operations: cel.ListValue): JsonObject {
  try {
    return patched(object, jsonOf(operations) as readonly JsonObject[]);
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error;
    // A test that does not hold means that there is nothing to do.
    if (error.message.endsWith("failed: test failed")) return object;
    throw new MutationFailure(`JSON Patch: ${error.message}`);
  }
}

function withConfiguration(object: JsonObject, value: cel.Value, shape: Parameters<typeof merge>[2]): JsonObject {
  const wrong = misplaced(value);
  if (wrong !== undefined) throw new MutationFailure(`type mismatch: ${wrong}`);
  const { kind, apiVersion } = object;
  const configuration = { ...(jsonOf(value) as JsonObject), kind, apiVersion };
  const whole = atomics(configuration, shape);
  if (whole.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${whole.join(", ")}`;
    throw new MutationFailure(`error applying patch: invalid ApplyConfiguration: ${why}`);
  }
  return merge(object, configuration, shape);
}
