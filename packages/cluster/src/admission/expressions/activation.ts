import type { Json, JsonObject } from "pintle/kinds";
import type { AccessAttributes, Authorizer, UserInfo } from "../../api/index.ts";
import { cel } from "../../schema/index.ts";
import type { Environment, Expression } from "./environment.ts";
import { dynamicValue } from "./values.ts";

/** What expressions can see of one request. */
export interface Situation {
  readonly object: JsonObject | undefined;
  readonly live: JsonObject | undefined;
  /** The variable `request`. */
  readonly facts: JsonObject;
  readonly user: UserInfo;
  readonly authorizer: Authorizer;
  readonly namespace?: JsonObject | undefined;
  readonly params?: JsonObject | undefined;
}

/** What one expression may cost, however much is left. */
const CALL_LIMIT = 1_000_000;
const OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run";

/** All that was left to spend is spent. */
export class OutOfBudget extends Error {
  override readonly name = "OutOfBudget";
  constructor() {
    super(OUT_OF_BUDGET);
  }
}

export type Outcome = { readonly value: cel.Value } | { readonly error: string };

/** Evaluates expressions about one request; what they cost is taken from one budget. */
export interface Activation {
  /** Throws OutOfBudget. */
  evaluate(expression: Expression): Outcome;
}

export function activation(situation: Situation, environment: Environment, budget: number, decide: cel.Decide): Activation {
  let left = budget;
  let composed = 0;
  const values = new Map<string, cel.Value>();
  const make: Readonly<Record<string, () => cel.Value>> = {
    object: () => dynamicValue(situation.object),
    oldObject: () => dynamicValue(situation.live),
    namespaceObject: () => dynamicValue(situation.namespace),
    request: () => dynamicValue(situation.facts as Json),
    params: () => dynamicValue(situation.params),
    authorizer: () => new cel.AuthorizerValue(situation.user, decide),
    "authorizer.requestResource": () => new cel.ResourceCheck(value("authorizer") as cel.AuthorizerValue, resourceOf(situation.facts)),
    variables: () => new Variables(environment, run),
  };
  const value = (name: string): cel.Value => {
    let found = values.get(name);
    if (found === undefined) {
      found = make[name]!();
      values.set(name, found);
    }
    return found;
  };
  /** A variable of the policy, whose cost is charged with the expression that needs it. */
  const run = ({ program }: Expression): cel.Value => {
    const { value: result, cost } = program!.compiled.run(program!.variables.map(value), CALL_LIMIT);
    composed += cost;
    return result;
  };
  return {
    evaluate({ source, program, problem }) {
      if (problem !== undefined) return { error: `compilation error: ${problem}` };
      composed = 0;
      const failed = (why: string): Outcome => ({ error: `expression '${source}' resulted in error: ${why}` });
      try {
        const { value: result, cost } = program!.compiled.run(program!.variables.map(value), CALL_LIMIT);
        left -= cost + composed;
        if (left < 0) throw new OutOfBudget();
        return result instanceof cel.Failure ? failed(result.message) : { value: result };
      } catch (error) {
        if (!(error instanceof cel.CostExceeded)) throw error;
        left -= CALL_LIMIT;
        if (left < 0) throw new OutOfBudget();
        return failed("operation cancelled: actual cost limit exceeded");
      }
    },
  };
}

/** The variables of a policy: evaluated when they are first looked at. */
class Variables extends cel.MapValue {
  readonly #environment: Environment;
  readonly #run: (expression: Expression) => cel.Value;
  readonly #known = new Map<string, cel.Value>();
  constructor(environment: Environment, run: (expression: Expression) => cel.Value) {
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
  #evaluated(name: string, expression: Expression): cel.Value {
    if (expression.problem !== undefined) return cel.fail(`composited variable "${name}" fails to compile: ${expression.problem}`);
    const value = this.#run(expression);
    return value instanceof cel.Failure ? cel.fail(`composited variable "${name}" fails to evaluate: ${value.message}`) : value;
  }
}

function resourceOf(facts: JsonObject) {
  const { group, resource } = facts["requestResource"] as { readonly group: string; readonly resource: string };
  const text = (name: string) => (facts[name] ?? "") as string;
  return { group, resource, subresource: text("requestSubResource"), namespace: text("namespace"), name: text("name") };
}

/** An answer that has to be waited for first. */
class Undecided extends Error {
  readonly attributes: AccessAttributes;
  readonly id: string;
  constructor(attributes: AccessAttributes, id: string) {
    super("undecided");
    this.attributes = attributes;
    this.id = id;
  }
}

/** Runs what asks for decisions; where one is missing, it is waited for and the run begins anew. */
export async function decided<T>({ authorizer }: Pick<Situation, "authorizer">, run: (decide: cel.Decide) => T): Promise<T> {
  const known = new Map<string, cel.AccessDecision>();
  const decide: cel.Decide = (question) => {
    const id = JSON.stringify(question);
    const found = known.get(id);
    if (found === undefined) throw new Undecided(attributesOf(question), id);
    return found;
  };
  for (;;) {
    try {
      return run(decide);
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      const { allowed, reason = "" } = await authorizer.authorize(error.attributes);
      known.set(error.id, { allowed, reason });
    }
  }
}

function attributesOf({ user, verb, path, group, resource, subresource, namespace, name }: cel.AccessQuestion): AccessAttributes {
  if (path !== undefined) return { user, info: { type: "path", verb, path } };
  return { user, info: { type: "resource", verb, group, resource, subresource, namespace, name } };
}
