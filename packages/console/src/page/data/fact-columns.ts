/**
 * The rows of the recording as columns: numbers in typed arrays, repeated texts once. 100,000 rows take a few megabytes and are filtered in one pass. The
 * oldest tenth goes when the limit is reached.
 */
import type { FactRow } from "../../protocol.ts";

export const MAX_FACTS = 100_000;

export const FACT_TYPES = ["build", "request", "commit", "enqueue", "drop", "run", "plan", "log", "watch", "webhook", "fault"] as const;
export const TONES = ["error", "warning", "normal", "noise"] as const;

/** What a list of facts shows. */
export interface FactFilter {
  /** Every word must occur in the text, the object or the controller. */
  readonly text?: string;
  /** Default: all. */
  readonly types?: readonly FactRow["type"][];
  readonly noise: boolean;
  /** The newest time that is shown. */
  readonly until?: number;
}

class Interned {
  readonly values: (string | undefined)[] = [undefined];
  private readonly ids = new Map<string, number>();
  id(value: string | undefined): number {
    if (value === undefined) return 0;
    let id = this.ids.get(value);
    if (id === undefined) {
      id = this.values.push(value) - 1;
      this.ids.set(value, id);
    }
    return id;
  }
}

export class FactColumns {
  length = 0;
  private readonly capacity: number;
  readonly sequence: Float64Array;
  readonly time: Float64Array;
  readonly revision: Float64Array;
  readonly tone: Uint8Array;
  private readonly type: Uint8Array;
  private readonly code: Uint16Array;
  private readonly duration: Float32Array;
  private readonly build: Uint32Array;
  private readonly objectIds: Uint32Array;
  private readonly controllerIds: Uint32Array;
  private readonly texts: string[] = [];
  private readonly runs: (string | undefined)[] = [];
  private readonly requests: (string | undefined)[] = [];
  private readonly names = new Interned();

  constructor(capacity = MAX_FACTS) {
    this.capacity = capacity;
    this.sequence = new Float64Array(capacity);
    this.time = new Float64Array(capacity);
    this.revision = new Float64Array(capacity);
    this.tone = new Uint8Array(capacity);
    this.type = new Uint8Array(capacity);
    this.code = new Uint16Array(capacity);
    this.duration = new Float32Array(capacity);
    this.build = new Uint32Array(capacity);
    this.objectIds = new Uint32Array(capacity);
    this.controllerIds = new Uint32Array(capacity);
  }

  /** The sequence of the newest row; 0: there is none. */
  get last(): number {
    return this.length === 0 ? 0 : (this.sequence[this.length - 1] ?? 0);
  }

  /** Adds rows, oldest first; those that are not newer than the last are there already. */
  append(rows: readonly FactRow[]): void {
    for (const row of rows) {
      if (row.sequence <= this.last) continue;
      if (this.length === this.capacity) this.dropOldest(Math.ceil(this.capacity / 10));
      const i = this.length++;
      this.sequence[i] = row.sequence;
      this.time[i] = row.time;
      this.revision[i] = row.revision ?? 0;
      this.tone[i] = TONES.indexOf(row.tone);
      this.type[i] = FACT_TYPES.indexOf(row.type);
      this.code[i] = row.code ?? 0;
      this.duration[i] = row.duration ?? -1;
      this.build[i] = row.build ?? 0;
      this.objectIds[i] = this.names.id(row.object);
      this.controllerIds[i] = this.names.id(row.controller);
      this.texts[i] = row.text;
      this.runs[i] = row.run;
      this.requests[i] = row.request;
    }
  }

  clear(): void {
    this.dropOldest(this.length);
  }

  row(i: number): FactRow {
    const duration = this.duration[i] ?? -1;
    return {
      sequence: this.sequence[i] ?? 0,
      time: this.time[i] ?? 0,
      type: FACT_TYPES[this.type[i] ?? 0] ?? "log",
      text: this.texts[i] ?? "",
      tone: TONES[this.tone[i] ?? 2] ?? "normal",
      object: this.names.values[this.objectIds[i] ?? 0],
      controller: this.names.values[this.controllerIds[i] ?? 0],
      run: this.runs[i],
      request: this.requests[i],
      revision: this.revision[i] || undefined,
      code: this.code[i] || undefined,
      duration: duration < 0 ? undefined : duration,
      build: this.build[i] || undefined,
    };
  }

  /** The indexes of the rows that match, oldest first. */
  filter(filter: FactFilter): Uint32Array {
    const found = new Uint32Array(this.length);
    const words = (filter.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const types = filter.types === undefined ? undefined : new Set(filter.types.map((type) => FACT_TYPES.indexOf(type)));
    const until = filter.until ?? Number.POSITIVE_INFINITY;
    // A name is searched once, not in every row that has it.
    const names = words.map((word) => this.names.values.map((name) => name?.toLowerCase().includes(word) === true));
    const noise = TONES.indexOf("noise");
    let n = 0;
    for (let i = 0; i < this.length; i++) {
      if (!filter.noise && this.tone[i] === noise) continue;
      if (types !== undefined && !types.has(this.type[i] ?? 0)) continue;
      if ((this.time[i] ?? 0) > until) continue;
      if (words.length > 0 && !this.hasWords(i, words, names)) continue;
      found[n++] = i;
    }
    return found.subarray(0, n);
  }

  /** The names of all controllers that have rows. */
  controllers(): readonly string[] {
    const ids = new Set(this.controllerIds.subarray(0, this.length));
    return [...ids].map((id) => this.names.values[id]).filter((name) => name !== undefined);
  }

  private hasWords(i: number, words: readonly string[], names: readonly (readonly boolean[])[]): boolean {
    const text = (this.texts[i] ?? "").toLowerCase();
    return words.every(
      (word, at) => text.includes(word) || names[at]?.[this.objectIds[i] ?? 0] === true || names[at]?.[this.controllerIds[i] ?? 0] === true,
    );
  }

  private dropOldest(count: number): void {
    const columns = [this.sequence, this.time, this.revision, this.tone, this.type, this.code, this.duration, this.build];
    for (const column of [...columns, this.objectIds, this.controllerIds]) column.copyWithin(0, count, this.length);
    for (const list of [this.texts, this.runs, this.requests]) list.splice(0, count);
    this.length -= count;
  }
}
