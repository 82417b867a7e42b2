/** How many deletes are remembered. */
const MAX_DELETES = 1_000;

/** Which controller of this process deleted an object: a watch event does not say. */
export interface RecentDeletes {
  record(uid: string, controller: string): void;
  find(uid: string): string | undefined;
}

export function createRecentDeletes(): RecentDeletes {
  const controllers = new Map<string, string>();
  return {
    record(uid, controller) {
      controllers.set(uid, controller);
      if (controllers.size > MAX_DELETES) controllers.delete(controllers.keys().next().value as string);
    },
    find: (uid) => controllers.get(uid),
  };
}
