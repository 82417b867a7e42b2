import type { Fact } from "pintle";
import type { Client } from "pintle/client";
import type { JsonObject } from "pintle/kinds";
import type {
  ActiveFault,
  ApplyResult,
  Capability,
  FaultRuleJson,
  Fork,
  QueueState,
  ReplayResult,
  SessionMode,
  TraceState,
  WatchState,
} from "../protocol.ts";

/** An object as it is stored. */
export interface StoredObject {
  readonly revision: number;
  readonly value: JsonObject;
}

/** A change of a stored object. */
export interface StoredCommit {
  readonly type: "put" | "delete";
  /** "/registry/pods/default/web" */
  readonly key: string;
  readonly revision: number;
  /** Of a deletion: the last value. */
  readonly value: JsonObject;
  readonly previous?: StoredObject | undefined;
}

/** All objects at a revision, and the commits that led to them. */
export interface ClusterState {
  readonly revision: number;
  readonly oldestRevision: number;
  readonly entries: ReadonlyMap<string, StoredObject>;
  /** Oldest first. */
  readonly history: readonly StoredCommit[];
}

/** The facts of a source. */
export interface ConsoleRecording {
  readonly id: string;
  /** All that are retained, oldest first, with the runs that have not ended. */
  facts(): readonly Fact[];
  readonly sequence: number;
  readonly dropped: number;
  /** Grows when facts that were passed on before must be read again, because a value in them turned out to be secret. */
  readonly generation: number;
  subscribe(listener: (fact: Fact) => void): () => void;
}

/** A source file of the project, by its path relative to the project. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
  /** Absolute, for editor links. Default: the file is not on this machine. */
  readonly path?: string | undefined;
}

/** What a source can do beyond reading; the members that are absent are impossible. */
export interface ConsoleActions {
  /** Dry-runs or applies an object; without a client, the source cannot write. */
  readonly client?: Client | undefined;
  readonly applySamples?: (() => Promise<ApplyResult>) | undefined;
  readonly faults?: { list(): readonly ActiveFault[]; add(rule: FaultRuleJson): ActiveFault; remove(id: string): boolean } | undefined;
  readonly advanceClock?: ((ms: number) => Promise<number>) | undefined;
  readonly restart?: (() => Promise<void>) | undefined;
  readonly forks?:
    | {
        list(): readonly Fork[];
        create(at: number | undefined): Promise<Fork>;
        remove(id: string): Promise<boolean>;
        open(id: string): ConsoleSource | undefined;
      }
    | undefined;
  readonly replay?: ((run: string, signal: AbortSignal) => Promise<ReplayResult>) | undefined;
  readonly runNow?: ((controller: string, key: string) => Promise<boolean>) | undefined;
  /** Returns the recording as a trace file. */
  readonly saveTrace?: (() => Promise<Uint8Array>) | undefined;
  readonly parseYaml?: ((text: string) => readonly JsonObject[]) | undefined;
}

/** What the console shows. */
export interface ConsoleSource {
  readonly mode: SessionMode;
  readonly name: string;
  readonly cluster: string;
  readonly can: readonly Capability[];
  readonly readOnlyReason?: string | undefined;
  readonly virtualClock: boolean;
  now(): number;
  readonly recording: ConsoleRecording;
  /** The objects at a revision. Default: now. Throws `gone`. Undefined: the source knows no objects. */
  state(at?: number): ClusterState | undefined;
  timeOf(revision: number): number | undefined;
  /** Returns an object without secrets. */
  redact(key: string, object: JsonObject): JsonObject;
  /** Returns the files that a frame or a controller may be in. */
  sources(): readonly SourceFile[];
  toYaml(object: JsonObject): string;
  readonly samples: readonly string[];
  /** The YAML of a sample of a kind. */
  readonly sampleOf?: ((kind: string) => string | undefined) | undefined;
  readonly kubectl?: string | undefined;
  readonly trace?: TraceState | undefined;
  readonly operatorState?: (() => { readonly state: "running" | "stopped" | "starting"; readonly since?: number | undefined }) | undefined;
  /** Exact state of queues and watches. Default: derived from facts. */
  readonly queues?: (() => readonly QueueState[]) | undefined;
  readonly watches?: (() => readonly WatchState[]) | undefined;
  /** Called before each read, for sources that must ask for rights first. */
  readonly refresh?: (() => Promise<void>) | undefined;
  readonly actions: ConsoleActions;
}
