import { stringifyJson } from "../../json/index.ts";
import type { TransportRequest, TransportResponse } from "../transport.ts";
import {
  AlreadyExists,
  BadRequest,
  Conflict,
  Expired,
  Forbidden,
  Invalid,
  NotFound,
  type PermissionDenial,
  type RequestError,
  type RequestErrorInit,
  ServerError,
  Timeout,
  TooManyRequests,
  Unauthorized,
} from "./request-errors.ts";
import { isStatus, type Status } from "./status.ts";

/** The request and object that an error message names. */
export interface ErrorContext {
  /** "GET /api/v1/namespaces/default/pods/web" */
  readonly request: string;
  /** "Pod default/web"; undefined for raw requests. */
  readonly subject?: string | undefined;
}

/** Formats method and path: "GET /api/v1/pods". */
export function formatRequestLine(request: Pick<TransportRequest, "method" | "path">): string {
  return `${request.method} ${request.path}`;
}

/**
 * Returns the error for a response with a status code of 400 and above.
 *
 * @example
 * ```ts
 * import { createTransport, errorFromResponse, loadClusterAccess } from "pintle/client";
 *
 * const transport = await createTransport(await loadClusterAccess());
 * const response = await transport.request({ method: "GET", path: "/readyz" });
 * if (response.status >= 400) throw await errorFromResponse(response, { request: "GET /readyz" });
 * ```
 */
export async function errorFromResponse(response: TransportResponse, context: ErrorContext): Promise<RequestError> {
  const body = await readErrorBody(response);
  return errorFromStatus(response.status, body, context);
}

/** Returns the error for a Status: of a response, or of an ERROR event of a watch. */
export function errorFromStatus(statusCode: number, body: Status | string, context: ErrorContext): RequestError {
  const status = typeof body === "string" ? undefined : body;
  const serverMessage = typeof body === "string" ? body : (body.message ?? body.reason ?? "");
  const init = (message: string): RequestErrorInit => ({
    message: `${message} (${context.request})`,
    request: context.request,
    statusCode,
    status,
  });
  const subject = context.subject === undefined ? "" : `${context.subject}: `;
  const sentence = (fallback: string, advice?: string) =>
    `${subject}${serverMessage === "" ? fallback : serverMessage}${advice === undefined ? "" : `; ${advice}`}`;

  switch (status?.reason) {
    case "AlreadyExists":
      return new AlreadyExists(init(sentence("already exists", "apply it instead to create or change it")));
    case "Expired":
    case "Gone":
      return new Expired(init(sentence("this version has expired", "list again and continue from there")));
    case "Timeout":
    case "ServerTimeout":
      return new Timeout(init(sentence("the server took too long", "try again")));
  }
  switch (statusCode) {
    case 401:
      return new Unauthorized(
        init(sentence("Unauthorized", "the server does not accept these credentials: they may have expired or belong to another cluster")),
      );
    case 403: {
      const denial = parseDenial(serverMessage);
      return new Forbidden(init(denial === undefined ? sentence("forbidden") : `${subject}${formatDenial(denial)}`), denial);
    }
    case 404: {
      if (status?.details?.name !== undefined || status?.details?.kind !== undefined) return new NotFound(init(sentence("not found")));
      return new NotFound(
        init(sentence("not found", "the server does not serve this: is its CustomResourceDefinition installed, and in this version?")),
      );
    }
    case 408:
    case 504:
      return new Timeout(init(sentence("the server took too long", "try again")));
    case 409:
      return new Conflict(init(sentence("conflict", adviseOnConflict(status))));
    case 410:
      return new Expired(init(sentence("this version has expired", "list again and continue from there")));
    case 422:
      return new Invalid(init(sentence("invalid")));
    case 429:
      return new TooManyRequests(init(sentence("too many requests", "try again later")));
  }
  if (statusCode >= 400 && statusCode < 500) return new BadRequest(init(sentence(`the server refused with status ${statusCode}`)));
  return new ServerError(init(sentence(`the server responded with status ${statusCode}`)));
}

function adviseOnConflict(status: Status | undefined): string | undefined {
  const causes = status?.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === "FieldManagerConflict"))
    return "leave these fields out, or apply with force to take them over";
  return status?.message?.includes("please apply your changes to the latest version") ? undefined : "read it again and retry";
}

const DENIAL_MESSAGE =
  /User "([^"]*)" cannot (\S+) (?:resource "([^"]*)" in API group "([^"]*)"|path "([^"]*)")(?: in the namespace "([^"]*)"| at the cluster scope)?/;

function parseDenial(message: string): PermissionDenial | undefined {
  const [, user, verb, resource, group, path, namespace] = DENIAL_MESSAGE.exec(message) ?? [];
  if (user === undefined || verb === undefined) return undefined;
  return { user, verb, resource: resource ?? path ?? "", group: group ?? "", namespace };
}

function formatDenial({ user, verb, resource, group, namespace }: PermissionDenial): string {
  const what = resource.startsWith("/") ? `path "${resource}"` : `"${resource}" in API group "${group}"`;
  const where = resource.startsWith("/") ? "" : namespace === undefined ? " at the cluster scope" : ` in namespace "${namespace}"`;
  return `user "${user}" is not allowed to ${verb} ${what}${where}; grant it with a ${namespace === undefined ? "ClusterRole" : "Role"} and a binding`;
}

/** Reads the body. Proxies and some handlers respond in plain text. */
async function readErrorBody(response: TransportResponse): Promise<Status | string> {
  const type = response.headers["content-type"];
  if (typeof type === "string" && !type.includes("json")) return (await readText(response)).trim().slice(0, 1000);
  const body = await response.json();
  return isStatus(body) ? body : stringifyJson(body).slice(0, 1000);
}

async function readText(response: TransportResponse): Promise<string> {
  const decoder = new TextDecoder();
  let out = "";
  for await (const chunk of response.bytes()) out += decoder.decode(chunk, { stream: true });
  return out + decoder.decode();
}
