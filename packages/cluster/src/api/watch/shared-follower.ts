import type { ServedResource } from "../resource.ts";
import type { StreamWriter } from "./stream.ts";

/** Where a follower writes to. */
export type Target = Pick<StreamWriter, "event" | "end">;

/** Follows the store until it is stopped, and writes to whoever it was last turned to. */
export interface Following {
  turn(to: Target): void;
  stop(): void;
}

/** Watchers that see the same share one follower: what a commit looks like is worked out once, however many watch. */
export interface SharedFollowers {
  /**
   * `key` says what is watched and how it is shown; `own` has brought the watcher up to the present. It serves all who
   * come later, or, if another does already, is stopped. Returns how to leave.
   */
  join(resource: ServedResource, key: string, watcher: Target, own: Following): () => void;
}

export function sharedFollowers(): SharedFollowers {
  const crowds = new WeakMap<ServedResource, Map<string, Crowd>>();
  return {
    join(resource, key, watcher, own) {
      const ofResource = crowds.get(resource) ?? new Map<string, Crowd>();
      crowds.set(resource, ofResource);
      let crowd = ofResource.get(key);
      if (crowd === undefined) {
        crowd = { following: own, watchers: new Set() };
        ofResource.set(key, crowd);
        own.turn(toAll(crowd.watchers));
      } else own.stop();
      const { following, watchers } = crowd;
      watchers.add(watcher);
      return () => {
        if (!watchers.delete(watcher) || watchers.size > 0) return;
        following.stop();
        ofResource.delete(key);
      };
    },
  };
}

interface Crowd {
  readonly following: Following;
  readonly watchers: Set<Target>;
}

function toAll(watchers: ReadonlySet<Target>): Target {
  return {
    event(event) {
      for (const each of watchers) each.event(event);
    },
    end() {
      for (const each of watchers) each.end();
    },
  };
}
