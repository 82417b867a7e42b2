import type { Cache } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { Clock, Random } from "../clock/index.ts";
import type { KindInfo, Metadata } from "../kinds/index.ts";
import type { WorkItem, WorkQueueObserver } from "../queue/index.ts";
import type { FlightRecorder } from "../recorder/index.ts";
import type { SpanContext, SpanOptions } from "../telemetry/index.ts";
import type { Logger } from "./logger.ts";
import type { NamespacedName } from "./names.ts";
import type { Plan } from "./plan/plan.ts";
import type { ConflictReporters } from "./worker/conflict-reporters.ts";
import type { PassGate } from "./worker/pass-gate.ts";
import type { RecentDeletes } from "./worker/recent-deletes.ts";
import type { SpanLinks } from "./worker/span-links.ts";

/** The dependencies of a running controller. Nothing is global. */
export interface ControllerDeps {
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
  /** Whether failures and conflicts of a reconcile are reported on the object, as conditions and Events. */
  readonly reportFailures: boolean;
  readonly observer: ControllerObserver;
  /** Number of workers of a controller that does not set `concurrency`. */
  readonly concurrency: number;
  /** The leader's write gate: throws `NotLeading` when this process must not write. */
  readonly writeGate: () => void;
  /** Runs work inside a tracing span. */
  readonly trace: <T>(name: string, options: SpanOptions, work: (span: SpanContext | undefined) => Promise<T>) => Promise<T>;
  /** The spans of runs, for links between them; shared by all controllers of a process. Default: spans have no links. */
  readonly spanLinks?: SpanLinks | undefined;
  /** Ids of kinds that a controller watches without a selector: the others share that watch instead of opening a narrower one. */
  readonly unfilteredKinds: ReadonlySet<string>;
  /** Shared by the controllers of one process. Default: one of the controller's own. */
  readonly passGate?: PassGate | undefined;
  /** Shared by the controllers of one process. Default: one of the controller's own. */
  readonly conflictReporters?: ConflictReporters | undefined;
  /** Shared by the controllers of one process, which name each other as the deleter of a child. Default: the controller knows its own deletes only. */
  readonly recentDeletes?: RecentDeletes | undefined;
  /** Records enqueues, dropped events, runs, plans and requests. Default: nothing is recorded. */
  readonly flightRecorder?: FlightRecorder | undefined;
  /** Whether enqueues and dropped events are recorded, and not only runs. Default: true. */
  readonly recordsEnqueues?: boolean | undefined;
}

/** Records Kubernetes Events. */
export interface EventRecorder {
  recordEvent(event: RecordedEvent): void;
}
/** A Kubernetes Event about an object. */
export interface RecordedEvent {
  readonly controller: string;
  readonly kind: KindInfo;
  readonly object: { readonly metadata: Metadata };
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** The audit id of the request that writes the Event. Default: the server generates one. */
  readonly auditId?: string | undefined;
}

/** Callbacks for metrics. */
export interface ControllerObserver {
  createQueueObserver?(controller: string): WorkQueueObserver;
  /** `span`: that of the reconcile, which has ended. */
  onReconciled?(
    controller: string,
    item: WorkItem,
    result: ReconcileResult,
    took: number,
    error: unknown,
    span: SpanContext | undefined,
  ): void;
  onPlan?(controller: string, plan: Plan, object: NamespacedName): void;
  onTimeout?(controller: string): void;
  onMapError?(controller: string, source: string): void;
}
/** The `result` label of controller_runtime_reconcile_total; "terminal" is counted as "error". */
export type ReconcileResult = "success" | "requeue_after" | "error" | "terminal";
