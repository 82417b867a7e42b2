import type { CacheObserver } from "../cache/index.ts";
import type { Logger } from "../controller/index.ts";

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

/** Both hear everything. */
export function both(a: CacheObserver, b: CacheObserver): CacheObserver {
  return {
    problem(...args) {
      a.problem?.(...args);
      b.problem?.(...args);
    },
    poisoned(...args) {
      a.poisoned?.(...args);
      b.poisoned?.(...args);
    },
    listed(...args) {
      a.listed?.(...args);
      b.listed?.(...args);
    },
  };
}
