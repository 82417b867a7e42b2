import { type FieldError, fieldErrorText } from "./field-error.ts";

export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}
export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}
/** The v1 Status every failed request answers with. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Failure" | "Success";
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: StatusDetails | undefined;
  readonly code?: number | undefined;
}

/** A request that the server refuses; carries the Status that the client gets. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Only an expired list carries it: the token with which to go on. */
  readonly continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }

  get status(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: "Failure",
      message: this.message,
      ...(this.reason === "" ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** A resource as errors name it: `pods`, or `widgets.example.com`. */
export interface Named {
  readonly group: string;
  /** plural for resources, Kind for kinds */
  readonly resource: string;
}
export function qualified({ group, resource }: Named): string {
  return group === "" ? resource : `${resource}.${group}`;
}
const about = (of: Named, name: string): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(of.group === "" ? {} : { group: of.group }),
  ...(of.resource === "" ? {} : { kind: of.resource }),
});

export function notFound(of: Named, name: string): ApiError {
  return new ApiError(404, "NotFound", `${qualified(of)} "${name}" not found`, about(of, name));
}
export function noSuchPath(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
}
export function alreadyExists(of: Named, name: string, prefix = ""): ApiError {
  return new ApiError(409, "AlreadyExists", `${prefix}${qualified(of)} "${name}" already exists`, about(of, name));
}
export function conflict(of: Named, name: string, why: string): ApiError {
  return new ApiError(409, "Conflict", `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`, about(of, name));
}
export const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";
export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}
export function forbidden(of: Named, name: string, why: string): ApiError {
  const text = name === "" ? `${qualified(of)} is forbidden: ${why}` : `${qualified(of)} "${name}" is forbidden: ${why}`;
  return new ApiError(403, "Forbidden", text, about(of, name));
}
export function methodNotAllowed(): ApiError {
  return new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}
export function internalError(why: string): ApiError {
  return new ApiError(500, "InternalError", `Internal error occurred: ${why}`, { causes: [{ message: why }] });
}
/** `of.resource` is the Kind here, as the real server words it. */
export function invalid(of: Named, name: string, errors: readonly FieldError[]): ApiError {
  const texts = [...new Set(errors.map(fieldErrorText))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new ApiError(422, "Invalid", `${qualified(of)} "${name}" is invalid: ${list}`, {
    ...about(of, name),
    causes: errors.map((e) => ({ reason: e.reason, message: e.detail, field: e.field })),
  });
}
