import type { ServedResource } from "../registry/served-resource.ts";
import type { WatchStreamWriter } from "./watch-stream.ts";

/** Where the events of a subscription go. */
export type WatchTarget = Pick<WatchStreamWriter, "event" | "end">;

/** A subscription to the store whose events can be redirected. */
export interface StoreSubscription {
  redirect(to: WatchTarget): void;
  stop(): void;
}

/** Lets equal watches share one subscription: a commit is translated once for all of them. */
export interface WatchMultiplexer {
  /**
   * Joins the watches with the same `key` (prefix and format). `own` has brought the watch up to date: it becomes the
   * subscription of later watches or, if there is one already, is stopped. Returns a function that leaves.
   */
  join(resource: ServedResource, key: string, watcher: WatchTarget, own: StoreSubscription): () => void;
}

export function createWatchMultiplexer(): WatchMultiplexer {
  const groups = new WeakMap<ServedResource, Map<string, WatcherGroup>>();
  return {
    join(resource, key, watcher, own) {
      const ofResource = groups.get(resource) ?? new Map<string, WatcherGroup>();
      groups.set(resource, ofResource);
      let crowd = ofResource.get(key);
      if (crowd === undefined) {
        crowd = { subscription: own, watchers: new Set() };
        ofResource.set(key, crowd);
        own.redirect(createBroadcastTarget(crowd.watchers));
      } else own.stop();
      const { subscription, watchers } = crowd;
      watchers.add(watcher);
      return () => {
        if (!watchers.delete(watcher) || watchers.size > 0) return;
        subscription.stop();
        ofResource.delete(key);
      };
    },
  };
}

interface WatcherGroup {
  readonly subscription: StoreSubscription;
  readonly watchers: Set<WatchTarget>;
}

function createBroadcastTarget(watchers: ReadonlySet<WatchTarget>): WatchTarget {
  return {
    event(event) {
      for (const each of watchers) each.event(event);
    },
    end() {
      for (const each of watchers) each.end();
    },
  };
}
