import type { Json, JsonObject } from "pintle/kinds";
import type { AuthorizationAttributes, Authorizer, UserInfo } from "../../api/index.ts";
import * as cel from "../../schema/cel/index.ts";
import { toCelValue } from "./cel-values.ts";
import type { AdmissionExpression, ExpressionEnvironment } from "./environment.ts";

/** Inputs of the expressions for one request. */
export interface ExpressionInputs {
  readonly object: JsonObject | undefined;
  readonly live: JsonObject | undefined;
  /** Value of the variable `request`. */
  readonly facts: JsonObject;
  readonly user: UserInfo;
  readonly authorizer: Authorizer;
  readonly namespace?: JsonObject | undefined;
  readonly params?: JsonObject | undefined;
}

/** Cost limit of one expression, independent of the remaining budget. */
const EXPRESSION_COST_LIMIT = 1_000_000;
const OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run";

/** The cost budget is exhausted. */
export class BudgetExceededError extends Error {
  override readonly name = "OutOfBudget";
  constructor() {
    super(OUT_OF_BUDGET);
  }
}

export type EvaluationResult = { readonly value: cel.Value } | { readonly error: string };

/** Evaluates the expressions of one request within one cost budget. */
export interface Activation {
  /** Throws `BudgetExceededError`. */
  evaluate(expression: AdmissionExpression): EvaluationResult;
}

export function createActivation(situation: ExpressionInputs, environment: ExpressionEnvironment, budget: number): Activation {
  let left = budget;
  let composed = 0;
  const values = new Map<string, cel.Value>();
  const decide: cel.AuthorizeFunction = (attributes) => {
    const { allowed, reason = "" } = situation.authorizer.authorize(toAccessAttributes(attributes));
    return { allowed, reason };
  };
  const make: Readonly<Record<string, () => cel.Value>> = {
    object: () => toCelValue(situation.object),
    oldObject: () => toCelValue(situation.live),
    namespaceObject: () => toCelValue(situation.namespace),
    request: () => toCelValue(situation.facts as Json),
    params: () => toCelValue(situation.params),
    authorizer: () => new cel.AuthorizerValue(situation.user, decide),
    "authorizer.requestResource": () =>
      new cel.ResourceCheck(value("authorizer") as cel.AuthorizerValue, getRequestResource(situation.facts)),
    variables: () => new PolicyVariables(environment, run),
  };
  const value = (name: string): cel.Value => {
    let found = values.get(name);
    if (found === undefined) {
      found = make[name]!();
      values.set(name, found);
    }
    return found;
  };
  /** Evaluates a policy variable; its cost is charged to the expression that reads it. */
  const run = ({ program }: AdmissionExpression): cel.Value => {
    const { value: result, cost } = program!.compiled.run(program!.variables.map(value), EXPRESSION_COST_LIMIT);
    composed += cost;
    return result;
  };
  return {
    evaluate({ source, program, compileError }) {
      if (compileError !== undefined) return { error: `compilation error: ${compileError}` };
      composed = 0;
      const createFailure = (why: string): EvaluationResult => ({ error: `expression '${source}' resulted in error: ${why}` });
      try {
        const { value: result, cost } = program!.compiled.run(program!.variables.map(value), EXPRESSION_COST_LIMIT);
        left -= cost + composed;
        if (left < 0) throw new BudgetExceededError();
        return result instanceof cel.Failure ? createFailure(result.message) : { value: result };
      } catch (error) {
        if (!(error instanceof cel.CostExceeded)) throw error;
        left -= EXPRESSION_COST_LIMIT;
        if (left < 0) throw new BudgetExceededError();
        return createFailure("operation cancelled: actual cost limit exceeded");
      }
    },
  };
}

/** The variables of a policy, evaluated on first access. */
class PolicyVariables extends cel.MapValue {
  readonly #environment: ExpressionEnvironment;
  readonly #run: (expression: AdmissionExpression) => cel.Value;
  readonly #known = new Map<string, cel.Value>();
  constructor(environment: ExpressionEnvironment, run: (expression: AdmissionExpression) => cel.Value) {
    super();
    this.#environment = environment;
    this.#run = run;
  }
  get size(): number {
    return this.#environment.variables.size;
  }
  keys(): Iterable<cel.Value> {
    return this.#environment.variables.keys();
  }
  find(name: cel.Value): cel.Value | undefined {
    const expression = this.#environment.variables.get(String(name));
    if (expression === undefined) return undefined;
    const known = this.#known.get(String(name)) ?? this.#evaluated(String(name), expression);
    this.#known.set(String(name), known);
    return known;
  }
  #evaluated(name: string, expression: AdmissionExpression): cel.Value {
    if (expression.compileError !== undefined)
      return cel.createFailure(`composited variable "${name}" fails to compile: ${expression.compileError}`);
    const value = this.#run(expression);
    return value instanceof cel.Failure ? cel.createFailure(`composited variable "${name}" fails to evaluate: ${value.message}`) : value;
  }
}

function getRequestResource(facts: JsonObject) {
  const { group, resource } = facts["requestResource"] as { readonly group: string; readonly resource: string };
  const text = (name: string) => (facts[name] ?? "") as string;
  return { group, resource, subresource: text("requestSubResource"), namespace: text("namespace"), name: text("name") };
}

function toAccessAttributes({
  user,
  verb,
  path,
  group,
  resource,
  subresource,
  namespace,
  name,
}: cel.AuthorizerAttributes): AuthorizationAttributes {
  if (path !== undefined) return { user, info: { type: "path", verb, path } };
  return { user, info: { type: "resource", verb, group, resource, subresource, namespace, name } };
}
