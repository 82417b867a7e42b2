import { ApiException } from "@kubernetes/client-node";

/** Writes one step of the transcript. */
export function say(step: string, seen: unknown): void {
  process.stdout.write(`${step}\t${JSON.stringify(seen)}\n`);
}

/** Writes a refusal as its Status. */
export async function sayRefusal(step: string, request: Promise<unknown>): Promise<void> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiException)) throw new Error(`${step}: expected a refusal, got ${String(error)}`);
  say(step, [error.code, typeof error.body === "string" ? JSON.parse(error.body) : error.body]);
}

/** Asks again until the answer is what one waits for. */
export async function eventually<T>(what: string, ask: () => Promise<T>, isDone: (answer: T) => boolean): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const answer = await ask();
    if (isDone(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what}: not within a minute`);
}

export const isMissing = (error: unknown): boolean => error instanceof ApiException && error.code === 404;

/** What a look at an old copy leads to: it is gone already, or there already, or newer. */
export const isOutdated = (error: unknown): boolean => error instanceof ApiException && (error.code === 404 || error.code === 409);
