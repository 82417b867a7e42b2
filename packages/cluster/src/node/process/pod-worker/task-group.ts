import { type BackgroundErrorHandler, runInBackground } from "pintle/internal/errors";

/** The background tasks of a pod. Its files are deleted when no task is left that could write them. */
export interface TaskGroup {
  /** Adds a running task. A task that fails affects only itself: its error goes to the handler. */
  add(task: Promise<unknown>, onError: BackgroundErrorHandler): void;
  /** Resolves when no task is left, including those that are added meanwhile. Never rejects. */
  settled(): Promise<void>;
}

export function createTaskGroup(): TaskGroup {
  const tasks = new Set<Promise<unknown>>();
  return {
    add(task, onError) {
      tasks.add(task);
      runInBackground(
        task.finally(() => tasks.delete(task)),
        onError,
      );
    },
    async settled() {
      while (tasks.size > 0) await Promise.allSettled(tasks);
    },
  };
}
