/** A resource that no API server would take, or that would not do what it says. Thrown by `defineResource`. */
export class InvalidResource extends Error {
  override readonly name = "InvalidResource";
  /** Where: "spec.ports[].name", "columns[0].path". */
  readonly path: string;
  readonly problem: string;
  readonly advice: string;

  constructor(path: string, problem: string, advice: string, kind = "") {
    super(`${kind === "" ? "" : `${kind} `}${path}: ${problem}; ${advice}`);
    this.path = path;
    this.problem = problem;
    this.advice = advice;
  }

  /** The same refusal, saying whose field it is. */
  of(kind: string): InvalidResource {
    return new InvalidResource(this.path, this.problem, this.advice, kind);
  }
}

/** A shape that Zod can say and a structural schema cannot. */
export function notStructural(path: string, what: string, advice: string): InvalidResource {
  return new InvalidResource(path, `${what} cannot be said in a CustomResourceDefinition`, advice);
}
