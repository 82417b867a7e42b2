import { PintleError } from "../errors/index.ts";

/**
 * Thrown by `defineResource` for a resource that the API server would reject, or would not enforce as declared.
 *
 * @example
 * ```ts
 * import { defineResource, InvalidResource, z } from "pintle";
 *
 * try {
 *   defineResource({ group: "example.com", version: "v1", kind: "Thing", spec: z.object({ at: z.date() }) });
 * } catch (error) {
 *   if (!(error instanceof InvalidResource)) throw error;
 *   console.error(error.path, error.problem, error.advice); // "spec.at" ... "use timestamp()"
 * }
 * ```
 */
export class InvalidResource extends PintleError {
  override readonly name = "InvalidResource";
  /** The path of the field or option: "spec.ports[].name", "columns[0].path". */
  readonly path: string;
  /** What is wrong. */
  readonly problem: string;
  /** What to write instead. */
  readonly advice: string;

  constructor(path: string, problem: string, advice: string, kind = "") {
    super("PINTLE2001", `${kind === "" ? "" : `${kind} `}${path}: ${problem}; ${advice}`);
    this.path = path;
    this.problem = problem;
    this.advice = advice;
  }

  /** Returns the same error with the kind in its message. */
  withKind(kind: string): InvalidResource {
    return new InvalidResource(this.path, this.problem, this.advice, kind);
  }
}

/** Returns the error for a Zod schema that has no structural form. */
export function notStructuralError(path: string, what: string, advice: string): InvalidResource {
  return new InvalidResource(path, `${what} cannot be expressed in a CustomResourceDefinition`, advice);
}
