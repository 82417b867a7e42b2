import { type Change, matcher, type Stored, type View } from "../cache/index.ts";
import { type KindFacts, optional } from "../kinds/index.ts";
import { aborter, LISTED, type Queue, queue, type Reason } from "../queue/index.ts";
import type { Eyes } from "./context.ts";
import { type Controller, isApart } from "./controller.ts";
import type { Memory } from "./decide.ts";
import { keyOf, OWNER_LABEL, OWNER_NAME } from "./names.ts";
import type { Filter, Ownable } from "./options.ts";
import type { Plant } from "./plant.ts";
import { type Origin, runner } from "./run.ts";
import { follow } from "./source.ts";
import { ownedTrigger, type Trigger, trigger } from "./trigger.ts";

/** A controller at work. */
export interface Operation {
  readonly controller: Controller;
  readonly queue: Queue;
  /** What has not been listed yet, and why. */
  unsynced(): readonly string[];
  /** Resolves when everything it looks at has been listed. */
  synced(signal?: AbortSignal): Promise<void>;
  /** Works from now on; before, wakes only gather. */
  start(): void;
  /** Finishes what runs and takes up nothing more, until `start`. */
  pause(grace?: number): Promise<void>;
  /** As `pause`, and lets go of everything. Resolves with the keys that ran on past the grace. */
  stop(grace?: number): Promise<readonly string[]>;
}

const byOwnerLabel = ({ metadata }: Stored) => metadata.labels?.[OWNER_LABEL];

/** Puts a controller on a cache and a queue. Wakes gather at once; `start` begins to work on them. */
export function operate(controller: Controller, plant: Plant): Operation {
  const { cache, clock, observer, logger } = plant;
  const views: { readonly kind: KindFacts; readonly view: View<any> }[] = [];
  const memories = new Map<string, Memory>();
  const abort = aborter();
  const watch = (kind: KindFacts, labels?: string): View<any> => {
    const narrow = labels === undefined || plant.whole.has(kind.id) ? undefined : { labels: matcher(labels) };
    const view = cache.watch(kind, narrow);
    views.push({ kind, view });
    return view;
  };

  const work = queue({
    clock,
    concurrency: controller.concurrency ?? plant.concurrency,
    observer: observer.queue?.(controller.name),
    work: (item, signal) => run(item, signal),
  });
  /** Changes whose mapping threw: kept, and mapped again with backoff. */
  const unmapped = new Map<string, () => void>();
  const mapping = queue({
    clock,
    work({ key }) {
      unmapped.get(key)?.();
      unmapped.delete(key);
    },
  });

  const listen = (source: string, kind: KindFacts, view: View<any>, wakes: Trigger["wakes"], when?: Filter<any>) => {
    view.on((change: Change<Stored>) => {
      const { metadata } = (change.new ?? change.old)!;
      const key = `${source} ${keyOf(metadata)}`;
      const map = () => wake(source, kind, change, wakes, when);
      try {
        map();
      } catch (error) {
        observer.mapFailed?.(controller.name, source);
        logger.error("a change could not be mapped and will be mapped again", {
          controller: controller.name,
          source,
          object: keyOf(metadata),
          error,
        });
        const before = unmapped.get(key);
        unmapped.set(key, () => {
          before?.();
          map();
        });
        mapping.add(key);
      }
    });
  };
  const wake = (source: string, kind: KindFacts, change: Change<Stored>, wakes: Trigger["wakes"], when: Filter<any> | undefined) => {
    if (when !== undefined && !when(change.old, change.new)) return;
    const { namespace, name } = (change.new ?? change.old)!.metadata;
    const keys = new Set([...(change.old === undefined ? [] : wakes(change.old)), ...(change.new === undefined ? [] : wakes(change.new))]);
    const reason: Reason = { event: change.event, kind: kind.kind, namespace, name, source };
    const origin = change.origin as Origin | undefined;
    for (const key of keys) {
      // The run that wrote it looks again by itself.
      if (origin?.controller === controller && origin.active && origin.key === key) continue;
      work.add(key, { reason, priority: change.event === "listed" ? LISTED : 0 });
    }
  };

  const primary = watch(controller.kind);
  const eyes: Eyes = { primary, owned: new Map(), watched: new Map() };
  const owned = eyes.owned as Map<string, Eyes["owned"] extends ReadonlyMap<string, infer V> ? V : never>;
  // What is no longer owned may no longer exist as a kind.
  for (const kind of [...controller.owns, ...controller.formerly.map((former) => optional(former as Ownable))]) {
    if (owned.has(kind.id)) continue;
    const apart = isApart(controller.kind, kind);
    const view = watch(kind, apart && kind.scope === "Cluster" ? OWNER_LABEL : undefined);
    const options = { name: `${controller.name} ${kind.id}`, primary: { kind: controller.kind, view: primary }, watched: { kind, view } };
    const found = ownedTrigger(options);
    if (apart) view.index(OWNER_LABEL, byOwnerLabel);
    owned.set(kind.id, { kind, view, trigger: found, apart: apart ? view : undefined });
    const far = trigger({ annotation: OWNER_NAME }, { ...options, name: `${options.name} apart` });
    listen("owns", kind, view, (object) => [
      ...found.wakes(object),
      ...(apart && byOwnerLabel(object) !== undefined ? far.wakes(object) : []),
    ]);
    view.on(({ old, new: now }: Change<Stored>) => {
      if (now === undefined && old !== undefined) memories.delete(old.metadata.uid);
    });
  }
  const watched = eyes.watched as Map<string, Eyes["watched"] extends ReadonlyMap<string, infer V> ? V : never>;
  for (const [name, { kind, by, when }] of Object.entries(controller.watches)) {
    const view = watch(kind, typeof by === "object" && "label" in by ? by.label : undefined);
    const found = trigger(by, {
      name: `${controller.name} ${name}`,
      primary: { kind: controller.kind, view: primary },
      watched: { kind, view },
    });
    watched.set(name, { view, trigger: found });
    listen(name, kind, view, found.wakes, when);
  }
  listen("object", controller.kind, primary, ({ metadata }) => [keyOf(metadata)], controller.when);

  const run = runner({ controller, plant, eyes, memories, queue: () => work });
  const following = Object.entries(controller.sources).map(([name, source]) =>
    follow(
      source,
      {
        clock,
        random: plant.random,
        signal: abort.signal,
        failed: (error) =>
          logger.error("an event source failed and is started again", { controller: controller.name, source: name, error }),
      },
      (at) => work.add(keyOf(at), { reason: { event: "external", source: name } }),
    ),
  );
  if (controller.resync !== undefined) {
    const resync = () => {
      if (abort.signal.aborted) return;
      if (primary.isSynced)
        for (const { metadata } of primary.list()) work.add(keyOf(metadata), { priority: LISTED, reason: { event: "resync" } });
      const timer = clock.setTimeout(resync, controller.resync!);
      abort.signal.addEventListener("abort", () => clock.clearTimeout(timer), { once: true });
    };
    clock.setTimeout(resync, controller.resync);
  }

  return {
    controller,
    queue: work,
    unsynced: () =>
      views.flatMap(({ kind, view }) =>
        view
          .health()
          .filter(({ synced }) => !synced)
          .map(({ problem }) => problem?.message ?? `${kind.kind}: no answer yet`),
      ),
    async synced(signal) {
      await Promise.all(views.map(({ view }) => view.synced(signal)));
    },
    start() {
      mapping.start();
      work.start();
    },
    pause: (grace) => work.pause(grace),
    async stop(grace) {
      abort.abort(new Error("the controller has been stopped"));
      await mapping.stop();
      const late = await work.stop(grace);
      await Promise.all([...following, ...views.map(({ view }) => view.close())]);
      return late;
    },
  };
}
