import { cel } from "../../schema/index.ts";
import { AUTHORIZER, NAMESPACE, REQUEST, RESOURCE_CHECK } from "./types.ts";

/** What an expression may come to: a condition, a message, an annotation, a patch. */
export type Wanted = readonly cel.Type[];

export const CONDITION: Wanted = [cel.BOOL];
export const MESSAGE: Wanted = [cel.STRING];
export const ANNOTATION: Wanted = [cel.STRING, cel.NULL];

/** An expression that was compiled, or why it could not be. */
export interface Expression {
  readonly source: string;
  readonly program?: { readonly compiled: cel.Compiled; readonly variables: readonly string[] } | undefined;
  readonly problem?: string | undefined;
}

export interface Environment {
  compile(source: string, wanted: Wanted, options?: CompileOptions): Expression;
  /** Variables of the policy itself, in the order in which they were declared. */
  readonly variables: ReadonlyMap<string, Expression>;
  /** Makes a variable known to what is compiled after it. */
  declare(name: string, source: string): Expression;
}

export interface CompileOptions {
  /** Whether it may ask who may do what. Default: yes. */
  readonly authorizer?: boolean | undefined;
  /** Types that it may make by name. */
  readonly structs?: ((name: string) => cel.Type | undefined) | undefined;
}

export interface EnvironmentOptions {
  readonly params?: boolean | undefined;
  /** A policy: it may have variables of its own. */
  readonly composed?: boolean | undefined;
}

/** Where the expressions of webhooks and policies are compiled: what they can speak of, and of which type that is. */
export function environment({ params = false, composed = false }: EnvironmentOptions = {}): Environment {
  const variables = new Map<string, Expression>();
  const types = new Map<string, cel.Type>();
  const declared = (authorizer: boolean): Readonly<Record<string, cel.Type>> => ({
    object: cel.DYN,
    oldObject: cel.DYN,
    namespaceObject: NAMESPACE,
    request: REQUEST,
    ...(params ? { params: cel.DYN } : {}),
    ...(authorizer ? { authorizer: AUTHORIZER, "authorizer.requestResource": RESOURCE_CHECK } : {}),
    ...(composed ? { variables: variablesType(types) } : {}),
  });
  const compile = (source: string, wanted: Wanted | undefined, { authorizer = true, structs }: CompileOptions = {}): Expression => {
    const names = declared(authorizer);
    try {
      const compiled = cel.compile(source, names, structs);
      if (wanted === undefined || wanted.some((type) => cel.sameType(type, compiled.type))) {
        return { source, program: { compiled, variables: Object.keys(names) } };
      }
      return { source, problem: mismatch(wanted, compiled.type) };
    } catch (error) {
      if (error instanceof cel.UnusableError) return { source, problem: `program instantiation failed: ${error.message}` };
      if (error instanceof cel.CompileError) return { source, problem: `compilation failed: ${error.message}` };
      throw error;
    }
  };
  return {
    variables,
    compile,
    declare(name, source) {
      const expression = compile(source, undefined);
      variables.set(name, expression);
      types.set(name, expression.program?.compiled.type ?? cel.DYN);
      return expression;
    },
  };
}

function variablesType(types: ReadonlyMap<string, cel.Type>): cel.Type {
  const now = new Map(types);
  return cel.struct("kubernetes.variables", (field) => now.get(field));
}

function mismatch(wanted: Wanted, found: cel.Type): string {
  const names = wanted.map(typeName);
  const must = names.length === 1 ? names[0] : `one of [${names.join(" ")}]`;
  return `must evaluate to ${must} but got ${typeName(found)}`;
}

/** Go prints the type of null by its name. */
function typeName(type: cel.Type): string {
  return type.kind === "null" ? "null_type" : cel.formatType(type);
}
