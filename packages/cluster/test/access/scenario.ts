import type { JsonObject } from "pintle/kinds";
import { type ComparableResponse, toComparableResponse } from "./comparable-response.ts";
import { rbacFixtures } from "./rbac-fixtures.ts";

/** One request of a scenario. */
export interface ScenarioStep {
  /** Title of the step and key of its response. */
  readonly step: string;
  /** A bearer token or the name of a kept one. Default: the administrator's certificate. */
  readonly as?: string | undefined;
  readonly method?: string;
  readonly path: string;
  readonly body?: JsonObject | undefined;
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Keeps the token of the response under this name; later bodies refer to it as `{{name}}`. */
  readonly keep?: string;
  /** Waits until the server's token cache has expired before the request. */
  readonly forget?: true;
  /**
   * The compared part of the response. "code": the status code; "refusal": the error, if any; "decision": the status of a review;
   * "allowed": only whether it is allowed. Default: everything.
   */
  readonly show?: "code" | "refusal" | "decision" | "allowed" | undefined;
}

export interface ScenarioTarget {
  send(request: {
    method: string;
    path: string;
    body?: unknown;
    token?: string | undefined;
    headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  }): Promise<{ readonly code: number; readonly body: any }>;
  /** Resolves when changed roles and bindings apply. */
  policySettled(): Promise<void>;
  /** Resolves when the token cache has expired. */
  tokenCacheExpired(): Promise<void>;
}

export type ScenarioResponses = Readonly<Record<string, unknown>>;

/** Creates the fixtures on a fresh server. */
export async function createFixtures({ send, policySettled }: ScenarioTarget): Promise<void> {
  for (const { path, object } of rbacFixtures) {
    const { code, body } = await send({ method: "POST", path, body: object });
    if (code !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
  }
  await policySettled();
}

/** Runs the steps in order and returns the comparable responses. */
export async function runScenario(target: ScenarioTarget, steps: readonly ScenarioStep[]): Promise<ScenarioResponses> {
  const tokens = new Map<string, string>();
  const answers: Record<string, unknown> = {};
  for (const { step, as, method = "POST", path, body, type, headers, keep, forget, show } of steps) {
    if (step in answers) throw new Error(`two steps are called ${step}`);
    if (forget) await target.tokenCacheExpired();
    const filled = body && JSON.parse(JSON.stringify(body).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => tokens.get(name) ?? name));
    const { code, body: answer } = await target.send({
      method,
      path,
      body: filled,
      token: as === undefined ? undefined : (tokens.get(as) ?? as),
      headers: { ...(type === undefined ? {} : { "content-type": type }), ...headers },
    });
    if (keep !== undefined) tokens.set(keep, answer.status.token);
    answers[step] = selectCompared(toComparableResponse(code, answer), show);
    if (method !== "GET" && code < 300 && path.includes("rbac.authorization")) await target.policySettled();
  }
  return answers;
}

function selectCompared(answer: ComparableResponse, show: ScenarioStep["show"]): unknown {
  if (show === undefined) return answer;
  if (show === "decision") return answer.body?.["status"];
  if (show === "allowed") return { allowed: (answer.body?.["status"] as { allowed?: boolean } | undefined)?.allowed };
  return show === "code" || answer.body !== undefined ? answer.code : answer;
}
