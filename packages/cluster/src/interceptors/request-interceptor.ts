import { backgroundClock, type Clock, createAbortController, type Random } from "pintle/internal/clock";
import { runInBackground } from "pintle/internal/errors";
import {
  type ApiResponse,
  type ApiServer,
  buildErrorResponse,
  buildTimeoutResponse,
  type DeadlineEntry,
  Deadlines,
  generateUid,
  getHeader,
  isLongRunning,
  RequestContext,
  runEntryStages,
} from "../api/index.ts";
import type { RequestMetrics } from "../metrics/index.ts";
import { ApiError } from "../status/index.ts";
import type { ActivityTracker } from "./activity-tracker.ts";
import type { Auditor } from "./audit/auditor.ts";
import { type AuditLogWriter, buildAuditLogEntry } from "./audit-log.ts";
import type { FaultInjector } from "./faults/fault-injector.ts";
import { buildFaultResponse } from "./faults/fault-response.ts";
import type { RequestFault } from "./faults/fault-rules.ts";
import { injectWatchFaults, type WatchFaultContext } from "./faults/watch-faults.ts";
import { getRequestAttributes, readRequestAttributes } from "./request-attributes.ts";
import type { RequestAttributes } from "./request-match.ts";

export interface RequestInterceptorOptions {
  /** The server that executes requests; a promise while it starts. */
  readonly server: () => Promise<Pick<ApiServer, "handleContext">> | Pick<ApiServer, "handleContext">;
  readonly clock: Clock;
  /** Source of audit ids. */
  readonly random: Random;
  /** Milliseconds for a request that is not long-running, by the system clock. */
  readonly requestTimeout: number;
  readonly auditLog: AuditLogWriter;
  /** Writes events of audit.k8s.io/v1 to a file. Default: they are not written. */
  readonly auditor?: Auditor | undefined;
  readonly faults: FaultInjector;
  readonly activity: ActivityTracker;
  readonly metrics: RequestMetrics;
  /** Called for every request but get and list. */
  readonly onWrite: () => void;
}

/** The entry point of the pipeline: records every request in the audit log and applies the fault rules to it. */
export interface RequestInterceptor extends Pick<ApiServer, "handle"> {
  /** Cuts every watch and every request in flight. */
  abortAll(): void;
  /** Ends all injected delays, so that requests in flight complete. */
  releaseDelays(): void;
}

const DISCONNECTED: ApiResponse = { status: 0, headers: {}, body: { type: "cut" } };
const READ_VERBS = new Set(["get", "list"]);

export function createRequestInterceptor({
  server,
  clock,
  random,
  requestTimeout,
  auditLog,
  auditor,
  faults,
  activity,
  metrics,
  onWrite,
}: RequestInterceptorOptions): RequestInterceptor {
  const released = createAbortController();
  const watchFaultContext: WatchFaultContext = { clock, faults, activity, openWatches: new Set(), released: released.signal };
  const inFlight = new Deadlines<PendingResponse>(backgroundClock);

  const execute = async (context: RequestContext): Promise<ApiResponse> => {
    const current = server();
    const executed = (current instanceof Promise ? await current : current).handleContext(context);
    return new Promise((respond, fail) => {
      const pending = new PendingResponse(context, respond, getDeadline(context));
      inFlight.add(pending);
      const responded = executed.then((response) => inFlight.delete(pending) && respond(response));
      runInBackground(responded, (error) => inFlight.delete(pending) && fail(error));
    });
  };
  const getDeadline = ({ requestInfo }: RequestContext) =>
    isLongRunning(requestInfo) ? Number.POSITIVE_INFINITY : backgroundClock.monotonic() + requestTimeout;
  const executeWithFaults = async (
    context: RequestContext,
    attributes: RequestAttributes,
    found: readonly RequestFault[],
    pauseActivity: PauseActivity,
  ): Promise<ApiResponse> => {
    const { request } = context;
    for (const fault of found) {
      if ("latency" in fault) await pauseActivity(() => sleepUntil(clock, fault.latency, request.signal(), released.signal));
    }
    for (const fault of found) {
      if ("status" in fault) return buildFaultResponse(request, attributes, fault);
      if (!("cut" in fault)) continue;
      if (fault.cut === "before") return DISCONNECTED;
      const response = await execute(context);
      const { body } = response;
      return { ...response, body: body.type === "cut" ? body : { type: "cut", of: body } };
    }
    return execute(context);
  };

  return {
    async handle(request) {
      const context = new RequestContext(request);
      const started = clock.monotonic();
      context.auditId = getHeader(request.headers, "audit-id") ?? generateUid(random);
      const entered = runEntryStages(context);
      if (entered !== undefined) await (auditor === undefined ? entered : auditEntry(auditor, context, entered));
      const audited = auditor?.begin(context);
      const recordResponse = metrics.start(context);
      let responded: ApiResponse = DISCONNECTED;
      const attributes = faults.hasRequestRules ? await readRequestAttributes(context) : getRequestAttributes(context);
      if (!READ_VERBS.has(attributes.verb)) onWrite();
      let end = activity.begin();
      const pauseActivity: PauseActivity = async (wait) => {
        end();
        await wait();
        end = activity.begin();
      };
      try {
        const found = faults.getRequestFaults(attributes);
        const executed = await (found.length === 0 ? execute(context) : executeWithFaults(context, attributes, found, pauseActivity));
        const response = audited === undefined ? executed : audited.complete(executed);
        responded = response;
        const fault = found.length === 0 ? undefined : JSON.stringify(found);
        const { auditId: id, commits, auditAnnotations: annotations } = context;
        const duration = clock.monotonic() - started;
        auditLog.write(buildAuditLogEntry(attributes, response, { at: clock.now(), id, duration, commits, annotations, fault }));
        metrics.recordAuditEvent();
        if (response.body.type !== "watch") return response;
        const stream = metrics.trackWatch(context, injectWatchFaults(response.body.stream, attributes, watchFaultContext));
        return { ...response, body: { type: "watch", stream } };
      } finally {
        recordResponse(responded);
        end();
      }
    },
    releaseDelays: () => released.abort(),
    abortAll() {
      for (const { respond } of inFlight.snapshot()) respond(DISCONNECTED);
      for (const disconnect of [...watchFaultContext.openWatches]) disconnect();
    },
  };
}

/** Records a request whose credentials are refused. Rejects with the refusal. */
async function auditEntry(auditor: Auditor, context: RequestContext, entered: Promise<void>): Promise<void> {
  try {
    await entered;
  } catch (error) {
    if (error instanceof ApiError) auditor.recordFailedAuthentication(context, buildErrorResponse(context.request, error));
    throw error;
  }
}

/** A request in execution. Past its deadline the client gets 504, and the response of the pipeline is dropped. */
class PendingResponse implements DeadlineEntry {
  index = -1;
  readonly expiresAt: number;
  readonly respond: (response: ApiResponse) => void;
  readonly #context: RequestContext;

  constructor(context: RequestContext, respond: (response: ApiResponse) => void, expiresAt: number) {
    this.#context = context;
    this.respond = respond;
    this.expiresAt = expiresAt;
  }

  expire(): void {
    this.#context.isAbandoned = true;
    this.respond(buildTimeoutResponse(this.#context));
  }
}

/** Sleeps until the time has passed or one of the signals aborts. */
async function sleepUntil(clock: Clock, ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  const woken = createAbortController(...signals);
  await clock.sleep(ms, woken.signal).catch(() => {});
  woken.abort();
}

/** Runs a wait during which the request does not count as activity: it waits for time to pass. */
type PauseActivity = (wait: () => Promise<void>) => Promise<void>;
