import type { JsonObject } from "pintle/kinds";
import { type Comparable, comparable } from "./comparable.ts";
import { world } from "./world.ts";

/** One request. */
export interface Step {
  /** Says what it is about, and is the name of its answer. */
  readonly step: string;
  /** A bearer token, or the name one was kept by; default: the administrator's certificate. */
  readonly as?: string | undefined;
  readonly method?: string;
  readonly path: string;
  readonly body?: JsonObject | undefined;
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Keeps the token of the answer under this name; `{{name}}` stands for it in later bodies. */
  readonly keep?: string;
  /** Whether the server may still remember the token from before; it forgets after a while. */
  readonly forget?: true;
  /**
   * What of the answer counts. "code": that; "refusal": why it is refused, if it is; "decision": the status of a review;
   * "allowed": of that, not the reason. Default: all.
   */
  readonly show?: "code" | "refusal" | "decision" | "allowed" | undefined;
}

export interface Target {
  send(request: {
    method: string;
    path: string;
    body?: unknown;
    token?: string | undefined;
    headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  }): Promise<{ readonly code: number; readonly body: any }>;
  /** Resolves when changed roles and bindings hold. */
  settled(): Promise<void>;
  /** Resolves when no token is trusted only because it was good a moment ago. */
  forgotten(): Promise<void>;
}

export type Answers = Readonly<Record<string, unknown>>;

/** Puts the world into a fresh server. */
export async function furnish({ send, settled }: Target): Promise<void> {
  for (const { path, object } of world) {
    const { code, body } = await send({ method: "POST", path, body: object });
    if (code !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
  }
  await settled();
}

/** Does the steps one after the other; what was answered, without what no two servers say alike. */
export async function play(target: Target, steps: readonly Step[]): Promise<Answers> {
  const tokens = new Map<string, string>();
  const answers: Record<string, unknown> = {};
  for (const { step, as, method = "POST", path, body, type, headers, keep, forget, show } of steps) {
    if (step in answers) throw new Error(`two steps are called ${step}`);
    if (forget) await target.forgotten();
    const filled = body && JSON.parse(JSON.stringify(body).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => tokens.get(name) ?? name));
    const { code, body: answer } = await target.send({
      method,
      path,
      body: filled,
      token: as === undefined ? undefined : (tokens.get(as) ?? as),
      headers: { ...(type === undefined ? {} : { "content-type": type }), ...headers },
    });
    if (keep !== undefined) tokens.set(keep, answer.status.token);
    answers[step] = shown(comparable(code, answer), show);
    if (method !== "GET" && code < 300 && path.includes("rbac.authorization")) await target.settled();
  }
  return answers;
}

function shown(answer: Comparable, show: Step["show"]): unknown {
  if (show === undefined) return answer;
  if (show === "decision") return answer.body?.["status"];
  if (show === "allowed") return { allowed: (answer.body?.["status"] as { allowed?: boolean } | undefined)?.allowed };
  return show === "code" || answer.body !== undefined ? answer.code : answer;
}
