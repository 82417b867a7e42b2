import * as cel from "../../schema/cel/index.ts";
import { AUTHORIZER_TYPE, NAMESPACE_TYPE, REQUEST_TYPE, RESOURCE_CHECK_TYPE } from "./variable-types.ts";

/** Result types that an expression may have. */
export type ExpectedResultTypes = readonly cel.Type[];

export const CONDITION_RESULT: ExpectedResultTypes = [cel.BOOL];
export const MESSAGE_RESULT: ExpectedResultTypes = [cel.STRING];
export const ANNOTATION_RESULT: ExpectedResultTypes = [cel.STRING, cel.NULL];

/** A compiled expression, or its compile error. */
export interface AdmissionExpression {
  readonly source: string;
  readonly program?: { readonly compiled: cel.CompiledExpression; readonly variables: readonly string[] } | undefined;
  readonly compileError?: string | undefined;
}

export interface ExpressionEnvironment {
  /** Compiles an expression; without expected types it may have any. */
  compile(source: string, expected: ExpectedResultTypes | undefined, options?: ExpressionCompileOptions): AdmissionExpression;
  /** Variables of the policy, in declaration order. */
  readonly variables: ReadonlyMap<string, AdmissionExpression>;
  /** Declares a variable for the expressions compiled after it. */
  declareVariable(name: string, source: string): AdmissionExpression;
}

export interface ExpressionCompileOptions {
  /** Whether `authorizer` is available. Default: true. */
  readonly authorizer?: boolean | undefined;
  /** Types that the expression may construct by name. Default: none. */
  readonly structs?: ((name: string) => cel.Type | undefined) | undefined;
}

export interface ExpressionEnvironmentOptions {
  readonly hasParams?: boolean | undefined;
  /** Whether `variables` is available, as in policies. Default: false. */
  readonly hasVariables?: boolean | undefined;
  /** Types of `object` and `oldObject`, and of `params`. Default: they are not known. */
  readonly objectType?: cel.Type | undefined;
  readonly paramsType?: cel.Type | undefined;
}

/** Creates the CEL environment of webhook and policy expressions: the variables and their types. */
export function createExpressionEnvironment({
  hasParams = false,
  hasVariables = false,
  objectType = cel.DYN,
  paramsType = cel.DYN,
}: ExpressionEnvironmentOptions = {}): ExpressionEnvironment {
  const variables = new Map<string, AdmissionExpression>();
  const types = new Map<string, cel.Type>();
  const declareVariables = (authorizer: boolean): Readonly<Record<string, cel.Type>> => ({
    object: objectType,
    oldObject: objectType,
    namespaceObject: NAMESPACE_TYPE,
    request: REQUEST_TYPE,
    ...(hasParams ? { params: paramsType } : {}),
    ...(authorizer ? { authorizer: AUTHORIZER_TYPE, "authorizer.requestResource": RESOURCE_CHECK_TYPE } : {}),
    ...(hasVariables ? { variables: variablesType(types) } : {}),
  });
  const compile = (
    source: string,
    expected: ExpectedResultTypes | undefined,
    { authorizer = true, structs }: ExpressionCompileOptions = {},
  ): AdmissionExpression => {
    const names = declareVariables(authorizer);
    try {
      const compiled = cel.compileExpression(source, names, structs);
      if (expected === undefined || expected.some((type) => cel.sameType(type, compiled.type))) {
        return { source, program: { compiled, variables: Object.keys(names) } };
      }
      return { source, compileError: formatTypeMismatch(expected, compiled.type) };
    } catch (error) {
      if (error instanceof cel.ProgramError) return { source, compileError: `program instantiation failed: ${error.message}` };
      if (error instanceof cel.CompileError) return { source, compileError: `compilation failed: ${error.message}` };
      throw error;
    }
  };
  return {
    variables,
    compile,
    declareVariable(name, source) {
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

function formatTypeMismatch(expected: ExpectedResultTypes, found: cel.Type): string {
  const names = expected.map(typeName);
  const must = names.length === 1 ? names[0] : `one of [${names.join(" ")}]`;
  return `must evaluate to ${must} but got ${typeName(found)}`;
}

/** Go prints the null type as null_type. */
function typeName(type: cel.Type): string {
  return type.kind === "null" ? "null_type" : cel.formatType(type);
}
