import { RequestError } from "../client/index.ts";

/** Milliseconds for which the server asked to be left alone; the longest of several. */
export function retryAfter(error: unknown): number | undefined {
  if (error instanceof AggregateError) {
    const wishes = error.errors.map(retryAfter).filter((wish) => wish !== undefined);
    return wishes.length === 0 ? undefined : Math.max(...wishes);
  }
  const seconds = error instanceof RequestError ? error.status?.details?.retryAfterSeconds : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}
