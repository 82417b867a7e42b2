import { type Bookmark, type Client, INITIAL_EVENTS_END } from "../client/index.ts";
import type { KindFacts } from "../kinds/index.ts";
import { aborter, type Clock, type Random } from "../queue/index.ts";
import { problemOf } from "./problem.ts";
import { type Reflection, type ReflectionEvent, reflect, START } from "./reflection.ts";
import type { Stored } from "./store.ts";

/** What the stream of one kind and scope tells. */
export interface Sink<T> {
  /** Called before everything is asked for; the number comes back with `listed`. */
  mark(): number;
  listed(items: readonly T[], version: string, since: number): void;
  seen(type: "ADDED" | "MODIFIED" | "DELETED", object: T): void;
  reached(version: string): void;
  bookmarked(version: string): void;
  /** The kind is not served (any more). */
  absent(): void;
  /** After every step: where the reflector stands now. */
  stands(state: Reflection): void;
  /** The server gave a sign of life. */
  heard(): void;
  /** A line that is not an object; it is skipped. */
  poisoned(line: unknown, error: unknown): void;
}

export interface ReflectorOptions<T> {
  readonly client: Client;
  readonly kind: KindFacts;
  readonly namespace?: string | undefined;
  readonly labels?: string | undefined;
  readonly fields?: string | undefined;
  readonly sink: Sink<T>;
  readonly clock: Clock;
  readonly random: Random;
  /** Applied to every object before anyone sees it. A throw leaves the object out. */
  readonly prepare?: ((object: T) => T) | undefined;
  readonly signal: AbortSignal;
}

/** The server sends a bookmark about once a minute; when not even that comes, the connection is taken for dead. */
export const SILENCE = 70_000;
const FIRST_WORD = 30_000;
const PAGE = 500;

/** Lists and watches until the signal aborts; never rejects. All decisions are `reflect`'s, this only does what it says. */
export async function reflector<T extends Stored>(options: ReflectorOptions<T>): Promise<void> {
  const { clock, random, sink, signal, kind, client } = options;
  const selection = { namespace: options.namespace, labels: options.labels, fields: options.fields };
  let state = START;
  const step = (event: ReflectionEvent) => {
    state = reflect(state, event, random);
    sink.stands(state);
  };

  const prepared = (object: T): T | undefined => {
    try {
      const { metadata } = object;
      if (typeof metadata.name !== "string" || typeof metadata.resourceVersion !== "string") throw new Error("not a stored object");
      return options.prepare === undefined ? object : options.prepare(object);
    } catch (error) {
      sink.poisoned(object, error);
      return undefined;
    }
  };
  const prepareAll = (objects: readonly T[]) => objects.map(prepared).filter((object) => object !== undefined);

  /** Runs `work` with a signal that also fires when nobody called `heard` for a while. */
  const watched = async (
    silence: number,
    verb: "list" | "watch",
    work: (signal: AbortSignal, heard: (silence?: number) => void) => Promise<void>,
  ) => {
    const attempt = aborter(signal);
    let silent = false;
    let limit = silence;
    let last = clock.monotonic();
    let first: number | undefined;
    const expire = () => {
      const left = last + limit - clock.monotonic();
      if (left > 0) timer = clock.setTimeout(expire, left);
      else {
        silent = true;
        attempt.abort(new Error(`nothing was heard for ${limit / 1000} s`));
      }
    };
    let timer = clock.setTimeout(expire, limit);
    const heard = (next = limit) => {
      limit = next;
      last = clock.monotonic();
      first ??= last;
      sink.heard();
    };
    try {
      await work(attempt.signal, heard);
    } catch (error) {
      if (signal.aborted) return;
      if (silent)
        step({
          type: "silent",
          problem: { type: "silent", message: `${kind.kind}: nothing was heard for ${limit / 1000} s; connecting again` },
        });
      else {
        const problem = problemOf(error, kind, verb);
        if (problem.type === "missing") sink.absent();
        step({ type: "failed", problem, after: first === undefined ? 0 : clock.monotonic() - first });
      }
    } finally {
      clock.clearTimeout(timer);
      // Ends a stream that was left for another reason than its own end.
      attempt.abort();
    }
  };

  const list = () =>
    watched(FIRST_WORD, "list", async (signal, heard) => {
      const since = sink.mark();
      const items: T[] = [];
      let version = "";
      for await (const page of client.pages(kind, { ...selection, size: PAGE, signal })) {
        heard();
        version = page.metadata.resourceVersion;
        for (const object of prepareAll(page.items as unknown as readonly T[])) items.push(object);
      }
      sink.listed(items, version, since);
      step({ type: "listed", version });
    });

  const follow = () =>
    watched(FIRST_WORD, "watch", async (signal, heard) => {
      const since = sink.mark();
      const started = clock.monotonic();
      let initial: T[] | undefined = state.doing === "stream" ? [] : undefined;
      const from =
        initial === undefined
          ? { resourceVersion: state.version }
          : { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" as const };
      const opened = () => {
        heard(initial === undefined ? SILENCE : FIRST_WORD);
        step({ type: "opened" });
      };
      for await (const event of client.watch(kind, { ...selection, ...from, opened, signal })) {
        heard();
        if (event.type === "BOOKMARK") {
          const { resourceVersion, annotations } = (event.object as Bookmark).metadata;
          if (initial === undefined) {
            sink.bookmarked(resourceVersion);
            step({ type: "heard", version: resourceVersion });
          } else if (annotations?.[INITIAL_EVENTS_END] === "true") {
            sink.listed(initial, resourceVersion, since);
            initial = undefined;
            step({ type: "listed", version: resourceVersion });
            heard(SILENCE);
          }
          continue;
        }
        const object = prepared(event.object as unknown as T);
        if (object === undefined) continue;
        if (initial !== undefined) {
          if (event.type === "DELETED") initial = initial.filter((known) => known.metadata.uid !== object.metadata.uid);
          else initial.push(object);
          continue;
        }
        sink.seen(event.type, object);
        sink.reached(object.metadata.resourceVersion);
        step({ type: "heard", version: object.metadata.resourceVersion });
      }
      if (!signal.aborted) step({ type: "ended", after: clock.monotonic() - started });
    });

  while (!signal.aborted) {
    if (state.doing === "wait") {
      await clock.sleep(state.wait, signal).catch(() => {});
      if (!signal.aborted) step({ type: "waited" });
    } else await (state.doing === "list" ? list() : follow());
  }
}
