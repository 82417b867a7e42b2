import type { Status, StatusDetails } from "pintle/client";
import { type FieldError, formatFieldError } from "./field-error.ts";

export type { Status, StatusCause, StatusDetails } from "pintle/client";

/** A refused request; carries the Status of the response. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Set for an expired list only: the token to continue with. */
  readonly continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, continueToken?: string) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.continueToken = continueToken;
  }

  get status(): Status & { readonly metadata: object; readonly status: "Failure" } {
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
export interface GroupResource {
  readonly group: string;
  /** Plural for resources, kind for kinds. */
  readonly resource: string;
}
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}
const buildDetails = (of: GroupResource, name: string): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(of.group === "" ? {} : { group: of.group }),
  ...(of.resource === "" ? {} : { kind: of.resource }),
});

export function notFound(of: GroupResource, name: string): ApiError {
  return new ApiError(404, "NotFound", `${formatGroupResource(of)} "${name}" not found`, buildDetails(of, name));
}
export function pathNotFound(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
}
export function alreadyExists(of: GroupResource, name: string, prefix = ""): ApiError {
  return new ApiError(409, "AlreadyExists", `${prefix}${formatGroupResource(of)} "${name}" already exists`, buildDetails(of, name));
}
export function conflict(of: GroupResource, name: string, reason: string): ApiError {
  return new ApiError(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${formatGroupResource(of)} "${name}": ${reason}`,
    buildDetails(of, name),
  );
}
export const OBJECT_MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";
export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}
export function forbidden(of: GroupResource, name: string, reason: string): ApiError {
  const text =
    name === "" ? `${formatGroupResource(of)} is forbidden: ${reason}` : `${formatGroupResource(of)} "${name}" is forbidden: ${reason}`;
  return new ApiError(403, "Forbidden", text, buildDetails(of, name));
}
/** The request would take longer than a request may. kube-apiserver sends it when that time is over. */
export function requestTimeout(): ApiError {
  return new ApiError(504, "Timeout", "Timeout: request did not complete within the allotted timeout", {});
}
export function methodNotAllowed(): ApiError {
  return new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}
export function internalError(reason: string): ApiError {
  return new ApiError(500, "InternalError", `Internal error occurred: ${reason}`, { causes: [{ message: reason }] });
}
/** What the field errors of one Status may take: each repeats the value it is about, and a client chooses both. */
const MAX_ERROR_CHARACTERS = 4 * 1024 * 1024;

/** Returns the first errors, as many as fit into a Status. */
function limitErrors(all: readonly FieldError[]): readonly FieldError[] {
  let characters = 0;
  const end = all.findIndex(({ field, detail }) => {
    characters += field.length + detail.length;
    return characters > MAX_ERROR_CHARACTERS;
  });
  return end === -1 ? all : all.slice(0, Math.max(end, 1));
}

/** `of.resource` is the kind here, as in upstream. */
export function invalid(of: GroupResource, name: string, all: readonly FieldError[]): ApiError {
  const errors = limitErrors(all);
  const texts = [...new Set(errors.map(formatFieldError))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return new ApiError(422, "Invalid", `${formatGroupResource(of)} "${name}" is invalid: ${list}`, {
    ...buildDetails(of, name),
    causes: errors.map((e) => ({ reason: e.reason, message: e.detail, field: e.field })),
  });
}

/** Joins error messages like Go's aggregate errors: distinct ones, in brackets if there are several. */
export function aggregateErrors(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(", ")}]`;
}
