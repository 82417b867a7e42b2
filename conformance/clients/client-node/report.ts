import { ApiException } from "@kubernetes/client-node";

/** Prints one step of the transcript. */
export function reportStep(step: string, seen: unknown): void {
  process.stdout.write(`${step}\t${JSON.stringify(seen)}\n`);
}

/** Prints the Status of a refused request. */
export async function reportRefusal(step: string, request: Promise<unknown>): Promise<void> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiException)) throw new Error(`${step}: expected a refusal, got ${String(error)}`);
  reportStep(step, [error.code, typeof error.body === "string" ? JSON.parse(error.body) : error.body]);
}

/** Polls until the condition holds. */
export async function pollUntil<T>(what: string, ask: () => Promise<T>, isDone: (answer: T) => boolean): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const answer = await ask();
    if (isDone(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what}: not within a minute`);
}

export const isMissing = (error: unknown): boolean => error instanceof ApiException && error.code === 404;

/** True for errors of a stale read: the object is deleted, exists already or is newer. */
export const isOutdated = (error: unknown): boolean => error instanceof ApiException && (error.code === 404 || error.code === 409);
