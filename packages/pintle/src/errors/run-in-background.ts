/** Handles an error that reached the end of a background task. */
export type BackgroundErrorHandler = (error: unknown) => void;

/**
 * Lets a promise settle without a caller that awaits it. Its rejection goes to `onError`, so that it never becomes an unhandled rejection,
 * which ends the process. Without `onError` the promise is expected never to reject: an error is a bug and is printed. The same happens
 * to an error that `onError` throws.
 */
export function runInBackground(task: PromiseLike<unknown> | undefined, onError: BackgroundErrorHandler = printError): void {
  task?.then(undefined, onError).then(undefined, printError);
}

/** The handler for a failure that is reported elsewhere, or that makes no difference. */
export const ignoreError: BackgroundErrorHandler = () => {};

function printError(error: unknown): void {
  console.error("pintle: a background task failed:", error);
}
