import { backgroundClock, type Clock } from "pintle/internal/clock";
import { PintleError } from "pintle/internal/errors";
import { type ApiResponse, isLongRunning, type RequestContext, type UserInfo, type WatchStream } from "../../api/index.ts";
import { buildEvent, formatEventLine } from "./event.ts";
import { type AuditLogFileOptions, openAuditLogFile } from "./log-file.ts";
import { type AuditDecision, type AuditPolicy, type AuditStage, compilePolicy } from "./policy.ts";
import { checkPolicy, readPolicyFile } from "./read-policy.ts";
import { type AuditWebhookOptions, createWebhookPost, openAuditWebhook } from "./webhook.ts";

/** Audit events of a cluster in the form of audit.k8s.io/v1: in a file, one JSON object per line, or sent to a webhook, or both. */
export interface AuditOptions extends Omit<AuditLogFileOptions, "path"> {
  /** The file; "-" is the standard output. Default: no file is written. */
  readonly path?: string | undefined;
  /** Sends the events to a backend in batches, in the background: no request waits for it. Default: they are not sent. */
  readonly webhook?: AuditWebhookOptions | undefined;
  /** What is recorded: a policy, or a file that contains one in YAML or JSON. */
  readonly policy: AuditPolicy | string;
}

/** Records events of requests. */
export interface Auditor {
  /** Records that an authenticated request was received. Returns undefined if the policy records nothing of it. */
  begin(context: RequestContext): AuditedRequest | undefined;
  /** Records a request whose credentials were refused. */
  recordFailedAuthentication(context: RequestContext, response: ApiResponse): void;
  close(): Promise<void>;
}

export interface AuditedRequest {
  /** Records the response; of a stream also its end. Returns the response to send. */
  complete(response: ApiResponse): ApiResponse;
}

/** Where the events go. */
interface EventSink {
  append(line: string): void;
  close(): Promise<void>;
}

async function openSinks({ path, webhook, ...file }: Omit<AuditOptions, "policy">, clock: Clock): Promise<EventSink> {
  if (path === undefined && webhook === undefined) throw new PintleError("PINTLE6561", "audit events need a path or a webhook");
  const report = (problem: string) => console.error(`@pintle/cluster: ${problem}`);
  const post = webhook && (await createWebhookPost(webhook.config));
  const log = path === undefined ? undefined : openAuditLogFile({ path, ...file }, clock, report);
  // In real time, whatever the cluster's clock is: the backend is another program.
  const sender = webhook && post && openAuditWebhook(webhook, post, backgroundClock, report);
  return {
    append(line) {
      log?.append(line);
      sender?.append(line);
    },
    async close() {
      log?.close();
      await sender?.close();
    },
  };
}

/** Reads the policy, and opens the log and the webhook. Throws PintleError. */
export async function createAuditor({ policy, ...sinks }: AuditOptions, clock: Clock): Promise<Auditor> {
  const decide = compilePolicy(typeof policy === "string" ? await readPolicyFile(policy) : checkPolicy(policy));
  const log = await openSinks(sinks, clock);
  return {
    begin(context) {
      const decision = decide(context.requestInfo, context.user);
      return decision === undefined ? undefined : new RecordedRequest(context, decision, log, clock);
    },
    recordFailedAuthentication(context, response) {
      const decision = decide(context.requestInfo, undefined);
      if (decision === undefined || decision.omitStages.has("ResponseStarted")) return;
      const at = clock.now();
      const event = buildEvent(context, { decision, stage: "ResponseStarted", user: undefined, receivedAt: at, at, response });
      log.append(formatEventLine(event));
    },
    close: () => log.close(),
  };
}

class RecordedRequest implements AuditedRequest {
  readonly #context: RequestContext;
  readonly #decision: AuditDecision;
  readonly #log: Pick<EventSink, "append">;
  readonly #clock: Clock;
  readonly #user: UserInfo;
  readonly #receivedAt: number;

  constructor(context: RequestContext, decision: AuditDecision, log: Pick<EventSink, "append">, clock: Clock) {
    this.#context = context;
    this.#decision = decision;
    this.#log = log;
    this.#clock = clock;
    this.#user = context.user;
    this.#receivedAt = clock.now();
    this.#record("RequestReceived", undefined);
  }

  complete(response: ApiResponse): ApiResponse {
    if (isLongRunning(this.#context.requestInfo)) this.#record("ResponseStarted", response);
    return observeEnd(response, () => this.#record("ResponseComplete", response));
  }

  #record(stage: AuditStage, response: ApiResponse | undefined): void {
    const [context, decision, receivedAt] = [this.#context, this.#decision, this.#receivedAt];
    if (decision.omitStages.has(stage)) return;
    const at = response === undefined ? receivedAt : this.#clock.now();
    this.#log.append(formatEventLine(buildEvent(context, { decision, stage, user: this.#user, receivedAt, at, response })));
  }
}

/** Calls `onEnd` once: at once for a body that is complete, otherwise at the end of the stream. */
function observeEnd(response: ApiResponse, onEnd: () => void): ApiResponse {
  const { body } = response;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  switch (body.type) {
    case "watch":
      return { ...response, body: { type: "watch", stream: observeWatch(body.stream, end) } };
    case "stream":
      return { ...response, body: { type: "stream", chunks: observeChunks(body.chunks, end) } };
    case "messages":
      return { ...response, body: { type: "messages", serve: (channel) => body.serve(channel).finally(end) } };
    case "wire":
      return { ...response, body: { type: "wire", serve: (wire) => body.serve(wire).finally(end) } };
    default:
      end();
      return response;
  }
}

function observeWatch(stream: WatchStream, end: () => void): WatchStream {
  return {
    open(sink) {
      const stop = stream.open({
        event: (event) => sink.event(event),
        end() {
          end();
          sink.end();
        },
        disconnect() {
          end();
          sink.disconnect();
        },
      });
      return () => {
        stop();
        end();
      };
    },
  };
}

async function* observeChunks(chunks: AsyncIterable<Uint8Array>, end: () => void): AsyncIterable<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    end();
  }
}
