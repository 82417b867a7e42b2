/** Typed requests to the server of the page. Reads are for the moment and the fork that the URL names. */
import { type ApiFailure, type Reads, WRITE_HEADER, type Writes } from "../../protocol.ts";
import { at, location } from "../app/router.ts";

/** What is thrown: the failure that the server explained, or that the request did not get there. */
const toError = (failure: ApiFailure["error"]): Error => new Error(failure.message, { cause: failure });

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** "/api/objects/*\/story" with `["apps/deployments/default/web"]` -> "/api/objects/apps/deployments/default/web/story". */
export function formatRoute(route: string, variables: readonly (string | number)[], query: QueryValues): string {
  let next = 0;
  const path = route
    .split("/")
    .map((segment) => {
      if (segment === "*") return String(variables[next++]).split("/").map(encodeURIComponent).join("/");
      return segment.startsWith(":") ? encodeURIComponent(String(variables[next++])) : segment;
    })
    .join("/");
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") search.set(name, String(value));
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The fork that the URL names: "/fork/2/objects". */
export function currentFork(): string | undefined {
  const { path } = location.value;
  return path[0] === "fork" ? path[1] : undefined;
}

/** The URL of a read, for the moment and the fork that are shown. */
export function readUrl(route: keyof Reads, variables: readonly (string | number)[] = [], query: QueryValues = {}): string {
  return formatRoute(route, variables, { at: at.value, fork: currentFork(), ...query });
}

export async function readFrom<T>(url: string, signal?: AbortSignal): Promise<T> {
  return (await send(url, { signal: signal ?? null })) as T;
}

export async function write<R extends keyof Writes>(route: R, body: Writes[R]["body"]): Promise<Writes[R]["answer"]> {
  return (await send(formatRoute(route, [], { fork: currentFork() }), {
    method: "POST",
    headers: { [WRITE_HEADER]: "1", "content-type": "application/json" },
    body: JSON.stringify(body),
  })) as Writes[R]["answer"];
}

export async function remove(route: string): Promise<void> {
  await send(route, { method: "DELETE", headers: { [WRITE_HEADER]: "1" } });
}

async function send(url: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...init });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw toError({ code: 0, reason: "Internal", message: "The server of this page does not answer. Is pintle still running?" });
  }
  if (response.status === 204) return undefined;
  const body = (await response.json().catch(() => undefined)) as ApiFailure | undefined;
  if (response.ok && body !== undefined) return body;
  throw toError(body?.error ?? { code: response.status, reason: "Internal", message: `The server answered ${response.status}.` });
}

export function toFailure(error: unknown): ApiFailure["error"] {
  if (error instanceof Error && error.cause !== undefined) return error.cause as ApiFailure["error"];
  return { code: 0, reason: "Internal", message: error instanceof Error ? error.message : String(error) };
}
