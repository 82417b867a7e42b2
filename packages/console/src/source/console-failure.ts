import { PintleError } from "pintle/internal/errors";
import type { ApiFailure, FieldProblem } from "../protocol.ts";

type Failure = ApiFailure["error"];

/** A request cannot be answered; becomes an `ApiFailure`. */
export class ConsoleFailure extends PintleError {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super("PINTLE7140", failure.message);
    this.failure = failure;
  }
}

export const notFound = (message: string) => new ConsoleFailure({ code: 404, reason: "NotFound", message });
export const invalid = (message: string, fields?: readonly FieldProblem[]) =>
  new ConsoleFailure({ code: 400, reason: "Invalid", message, fields });
export const unsupported = (message: string) => new ConsoleFailure({ code: 501, reason: "Unsupported", message });
export const gone = (revision: number, oldest: number) =>
  new ConsoleFailure({ code: 410, reason: "Gone", message: `r${revision} is gone; the oldest is r${oldest}.`, oldest });
