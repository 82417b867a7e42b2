import type { CacheObserver } from "../cache/index.ts";
import type { Logger, Recorder } from "../controller/index.ts";
import type { Metadata } from "../kinds/index.ts";

/** Says in the log what happens to the watches. */
export function watchLog(logger: Logger): CacheObserver {
  return {
    problem(kind, namespace, problem) {
      const fields = { kind: kind.kind, ...(namespace === undefined ? {} : { namespace }) };
      if (problem === undefined) logger.info("the watch is well again", fields);
      // Part of every watch's life.
      else if (problem.type === "expired" || problem.type === "silent") logger.debug(problem.message, fields);
      else if (problem.type === "missing" && kind.optional === true) logger.info(problem.message, fields);
      else logger.warn(problem.message, fields);
    },
    poisoned(kind, object, error) {
      const { name, namespace } =
        (object as { readonly metadata?: { readonly name?: string; readonly namespace?: string } } | undefined)?.metadata ?? {};
      logger.error("one object could not be taken in; the others are not affected", { kind: kind.kind, namespace, name, error });
    },
  };
}

/** Tells of poisoned objects where people look: on the object. */
export function poisonEvents(recorder: () => Recorder | undefined): CacheObserver {
  return {
    poisoned(kind, given, error) {
      const object = given as { readonly metadata?: Metadata } | undefined;
      if (object?.metadata?.uid === undefined) return;
      const { metadata } = object;
      const message = `not taken in: ${error instanceof Error ? error.message : String(error)}`;
      recorder()?.announce({ controller: "cache", kind, object: { metadata }, type: "Warning", reason: "Unreadable", message });
    },
  };
}

/** All hear everything. */
export function all(...observers: readonly CacheObserver[]): CacheObserver {
  return {
    problem(...args) {
      for (const each of observers) each.problem?.(...args);
    },
    poisoned(...args) {
      for (const each of observers) each.poisoned?.(...args);
    },
    listed(...args) {
      for (const each of observers) each.listed?.(...args);
    },
  };
}
