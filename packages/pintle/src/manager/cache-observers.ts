import type { CacheObserver } from "../cache/index.ts";
import type { Controller, EventRecorder, Logger } from "../controller/index.ts";
import type { KindInfo, Metadata } from "../kinds/index.ts";
import { createVersionObserver, type FlightRecorder, toStorageResource } from "../recorder/index.ts";

/** Logs watch problems, recoveries and object errors. */
export function logWatchProblems(logger: Logger): CacheObserver {
  return {
    onWatchProblem(kind, namespace, problem) {
      const fields = { kind: kind.kind, ...(namespace === undefined ? {} : { namespace }) };
      if (problem === undefined) logger.info("Watch recovered", fields);
      // Normal during the life of a watch.
      else if (problem.type === "expired" || problem.type === "silent") logger.debug(problem.message, fields);
      else if (problem.type === "missing" && kind.optional === true) logger.info(problem.message, fields);
      else logger.warn(problem.message, fields);
    },
    onObjectError(kind, object, error) {
      const { name, namespace } =
        (object as { readonly metadata?: { readonly name?: string; readonly namespace?: string } } | undefined)?.metadata ?? {};
      logger.error("Failed to process object, skipping it", { kind: kind.kind, namespace, name, error });
    },
  };
}

/** Records a Warning Event on each object that cannot be processed. */
export function recordObjectErrors(recorder: () => EventRecorder | undefined): CacheObserver {
  return {
    onObjectError(kind, failed, error) {
      const object = failed as { readonly metadata?: Metadata } | undefined;
      if (object?.metadata?.uid === undefined) return;
      const { metadata } = object;
      const message = `not processed: ${error instanceof Error ? error.message : String(error)}`;
      recorder()?.recordEvent({ controller: "cache", kind, object: { metadata }, type: "Warning", reason: "Unreadable", message });
    },
  };
}

/** Records lists, failures and recoveries of watches. */
export function recordWatches(recorder: FlightRecorder | undefined, controllers: readonly Controller[]): CacheObserver {
  if (recorder === undefined) return {};
  const describe = (kind: KindInfo, namespace: string | undefined) => ({
    type: "watch" as const,
    kind: kind.kind,
    resource: toStorageResource(kind),
    controllers: controllers.filter((each) => each.kind.id === kind.id).map(({ name }) => name),
    namespace,
  });
  return {
    onListed: (kind, namespace, objects) => recorder.record({ ...describe(kind, namespace), event: "listed", objects }),
    onWatchProblem: (kind, namespace, problem) =>
      recorder.record({ ...describe(kind, namespace), event: problem === undefined ? "recovered" : "failed", message: problem?.message }),
  };
}

/** Records the versions that watches see, unless the API server records its commits. */
export function recordVersions(recorder: FlightRecorder | undefined): CacheObserver {
  return recorder === undefined || recorder.hasServerCommits ? {} : createVersionObserver(recorder);
}

/** Combines observers: each receives every callback. Those of each object are called for one observer, and exist only if it has them. */
export function combineCacheObservers(...observers: readonly CacheObserver[]): CacheObserver {
  const perObject = observers.find(({ onDecoded }) => onDecoded !== undefined);
  return {
    ...(perObject === undefined ? {} : { onDecoded: perObject.onDecoded!, onEvent: perObject.onEvent! }),
    onWatchProblem(...args) {
      for (const each of observers) each.onWatchProblem?.(...args);
    },
    onObjectError(...args) {
      for (const each of observers) each.onObjectError?.(...args);
    },
    onListed(...args) {
      for (const each of observers) each.onListed?.(...args);
    },
  };
}
