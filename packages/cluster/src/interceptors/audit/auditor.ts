import type { Clock } from "pintle/internal/clock";
import { type ApiResponse, isLongRunning, type RequestContext, type UserInfo, type WatchStream } from "../../api/index.ts";
import { buildEvent, formatEventLine } from "./event.ts";
import { type AuditLogFile, type AuditLogFileOptions, openAuditLogFile } from "./log-file.ts";
import { type AuditDecision, type AuditPolicy, type AuditStage, compilePolicy } from "./policy.ts";
import { checkPolicy, readPolicyFile } from "./read-policy.ts";

/** Audit events of a cluster, written to a file in the form of audit.k8s.io/v1, one JSON object per line. */
export interface AuditOptions extends AuditLogFileOptions {
  /** What is recorded: a policy, or a file that contains one in YAML or JSON. */
  readonly policy: AuditPolicy | string;
}

/** Records events of requests. */
export interface Auditor {
  /** Records that an authenticated request was received. Returns undefined if the policy records nothing of it. */
  begin(context: RequestContext): AuditedRequest | undefined;
  /** Records a request whose credentials were refused. */
  recordFailedAuthentication(context: RequestContext, response: ApiResponse): void;
  close(): void;
}

export interface AuditedRequest {
  /** Records the response; of a stream also its end. Returns the response to send. */
  complete(response: ApiResponse): ApiResponse;
}

/** Reads the policy and opens the log. Throws PintleError. */
export async function createAuditor({ policy, ...file }: AuditOptions, clock: Clock): Promise<Auditor> {
  const decide = compilePolicy(typeof policy === "string" ? await readPolicyFile(policy) : checkPolicy(policy));
  const log = openAuditLogFile(file, clock, (problem) => console.error(`@pintle/cluster: ${problem}`));
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
  readonly #log: AuditLogFile;
  readonly #clock: Clock;
  readonly #user: UserInfo;
  readonly #receivedAt: number;

  constructor(context: RequestContext, decision: AuditDecision, log: AuditLogFile, clock: Clock) {
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
