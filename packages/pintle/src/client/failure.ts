import {
  AlreadyExists,
  BadRequest,
  Conflict,
  type Denial,
  Expired,
  type Failure,
  Forbidden,
  Invalid,
  NotFound,
  type RequestError,
  ServerError,
  Timeout,
  TooManyRequests,
  Unauthorized,
} from "./errors.ts";
import { isStatus, type Status } from "./status.ts";
import type { TransportRequest, TransportResponse } from "./transport.ts";

/** What a request was about, for the sentence an error prints. */
export interface About {
  /** "GET /api/v1/namespaces/default/pods/web" */
  readonly request: string;
  /** "Pod default/web"; undefined for raw requests. */
  readonly subject?: string | undefined;
}

export function requestLine(request: Pick<TransportRequest, "method" | "path">): string {
  return `${request.method} ${request.path}`;
}

/** The error that an answer of 400 and above stands for. */
export async function failureOf(response: TransportResponse, about: About): Promise<RequestError> {
  const body = await bodyOf(response);
  return failure(response.status, body, about);
}

/** The error that a Status stands for: in an answer, or in an ERROR event of a watch. */
export function failure(code: number, body: Status | string, about: About): RequestError {
  const status = typeof body === "string" ? undefined : body;
  const said = typeof body === "string" ? body : (body.message ?? body.reason ?? "");
  const of = (message: string): Failure => ({ message: `${message} (${about.request})`, request: about.request, code, status });
  const subject = about.subject === undefined ? "" : `${about.subject}: `;
  const sentence = (fallback: string, advice?: string) =>
    `${subject}${said === "" ? fallback : said}${advice === undefined ? "" : `; ${advice}`}`;

  switch (status?.reason) {
    case "AlreadyExists":
      return new AlreadyExists(of(sentence("already exists", "apply it instead to create or change it")));
    case "Expired":
    case "Gone":
      return new Expired(of(sentence("this version is gone", "list again and go on from there")));
    case "Timeout":
    case "ServerTimeout":
      return new Timeout(of(sentence("the server took too long", "try again")));
  }
  switch (code) {
    case 401:
      return new Unauthorized(
        of(sentence("Unauthorized", "the server does not accept these credentials: they may have expired or belong to another cluster")),
      );
    case 403: {
      const denial = denialOf(said);
      return new Forbidden(of(denial === undefined ? sentence("forbidden") : `${subject}${denialSentence(denial)}`), denial);
    }
    case 404: {
      if (status?.details?.name !== undefined || status?.details?.kind !== undefined) return new NotFound(of(sentence("not found")));
      return new NotFound(
        of(sentence("not found", "the server does not serve this: is its CustomResourceDefinition installed, and in this version?")),
      );
    }
    case 408:
    case 504:
      return new Timeout(of(sentence("the server took too long", "try again")));
    case 409:
      return new Conflict(of(sentence("conflict", conflictAdvice(status))));
    case 410:
      return new Expired(of(sentence("this version is gone", "list again and go on from there")));
    case 422:
      return new Invalid(of(sentence("invalid")));
    case 429:
      return new TooManyRequests(of(sentence("too many requests", "try again later")));
  }
  if (code >= 400 && code < 500) return new BadRequest(of(sentence(`the server refused with status ${code}`)));
  return new ServerError(of(sentence(`the server answered with status ${code}`)));
}

function conflictAdvice(status: Status | undefined): string | undefined {
  const causes = status?.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === "FieldManagerConflict"))
    return "leave these fields out, or apply with force to take them over";
  return status?.message?.includes("please apply your changes to the latest version") ? undefined : "read it again and decide anew";
}

const DENIED =
  /User "([^"]*)" cannot (\S+) (?:resource "([^"]*)" in API group "([^"]*)"|path "([^"]*)")(?: in the namespace "([^"]*)"| at the cluster scope)?/;

function denialOf(message: string): Denial | undefined {
  const [, user, verb, resource, group, path, namespace] = DENIED.exec(message) ?? [];
  if (user === undefined || verb === undefined) return undefined;
  return { user, verb, resource: resource ?? path ?? "", group: group ?? "", namespace };
}

function denialSentence({ user, verb, resource, group, namespace }: Denial): string {
  const what = resource.startsWith("/") ? `path "${resource}"` : `"${resource}" in API group "${group}"`;
  const where = resource.startsWith("/") ? "" : namespace === undefined ? " at the cluster scope" : ` in namespace "${namespace}"`;
  return `user "${user}" is not allowed to ${verb} ${what}${where}; grant it with a ${namespace === undefined ? "ClusterRole" : "Role"} and a binding`;
}

/** Proxies and old handlers answer in plain text. */
async function bodyOf(response: TransportResponse): Promise<Status | string> {
  const type = response.headers["content-type"];
  if (typeof type === "string" && !type.includes("json")) return (await text(response)).trim().slice(0, 1000);
  const body = await response.json();
  return isStatus(body) ? body : JSON.stringify(body).slice(0, 1000);
}

async function text(response: TransportResponse): Promise<string> {
  const decoder = new TextDecoder();
  let out = "";
  for await (const chunk of response.bytes()) out += decoder.decode(chunk, { stream: true });
  return out + decoder.decode();
}
