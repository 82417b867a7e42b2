import { AsyncLocalStorage } from "node:async_hooks";
import type { Transport } from "pintle/client";
import type { Clock } from "pintle/internal/clock";
import { createRunRecorder, type FlightRecorder, type RecordedRun, type RunCause } from "pintle/internal/recorder";

/** The cause of the code that runs now. */
interface CauseScope {
  readonly component: string;
  /** The event or timer; undefined in a run. */
  readonly cause: RunCause | undefined;
  /** The run; in an event handler that writes without a queue, one that was created for its first write. */
  run: RecordedRun | undefined;
}

/** The scopes of the components of one cluster. */
export interface CauseScopes {
  readonly recorder: FlightRecorder;
  /** Calls `work` in the scope of an event or timer. */
  enterCause<T>(component: string, cause: RunCause, work: () => T): T;
  /** Calls `work` in the scope of a run. */
  enterRun<T>(component: string, run: RecordedRun, work: () => T): T;
  /** Returns the cause of a key that is enqueued now. */
  currentCause(component: string): RunCause;
  /** Returns a function that calls `work` in the present scope. */
  bind<T>(work: () => T): () => T;
  /** Returns a transport that gives every write the audit id of the scope in which it is sent. */
  wrapTransport(transport: Transport): Transport;
}

export function createCauseScopes(recorder: FlightRecorder, clock: Clock): CauseScopes {
  const storage = new AsyncLocalStorage<CauseScope>();
  const now = () => clock.monotonic();
  /** A run for writes outside of a queue. Its causes are known at its start, so it is recorded at once. */
  const createHandlerRun = (component: string, cause: RunCause): RecordedRun => {
    const runs = createRunRecorder(recorder, { controller: component, now, recordsEnqueues: false });
    runs.enqueue("", cause);
    const run = runs.begin("", 0);
    run.end({ result: "success", duration: 0 });
    return run;
  };
  const nextAuditId = (): string => {
    const scope = storage.getStore();
    if (scope === undefined) return createHandlerRun("control-plane", { event: "timer" }).nextAuditId();
    scope.run ??= createHandlerRun(scope.component, scope.cause ?? { event: "timer" });
    return scope.run.nextAuditId();
  };
  return {
    recorder,
    enterCause: (component, cause, work) => storage.run({ component, cause, run: undefined }, work),
    enterRun: (component, run, work) => storage.run({ component, cause: undefined, run }, work),
    currentCause(component) {
      const scope = storage.getStore();
      if (scope === undefined) return { event: "timer", source: component };
      return scope.cause ?? { event: "requeue", source: component, run: scope.run?.id };
    },
    bind(work) {
      const scope = storage.getStore();
      return scope === undefined ? work : () => storage.run(scope, work);
    },
    wrapTransport: (transport) => ({
      ...transport,
      request(request) {
        if (request.method === "GET" || request.headers?.["audit-id"] !== undefined) return transport.request(request);
        return transport.request({ ...request, headers: { ...request.headers, "audit-id": nextAuditId() } });
      },
    }),
  };
}
