import { ApiError } from "../../status/index.ts";
import type { Kernel } from "../call.ts";
import type { ApiRequest } from "../request.ts";

const PATIENCE = 3000;

/** Waits a moment for a revision that is still to come; throws 504 when it does not. Few requests wait: only those ask for their signal. */
export async function notOlderThan(
  { store, clock }: Pick<Kernel, "store" | "clock">,
  revision: number,
  request: Pick<ApiRequest, "signal">,
): Promise<void> {
  if (store.currentRevision() >= revision) return;
  const signal = request.signal();
  const patience = new AbortController();
  const giveUp = () => patience.abort();
  signal.addEventListener("abort", giveUp);
  const timer = clock.setTimeout(giveUp, PATIENCE);
  await store.reached(revision, patience.signal);
  clock.clearTimeout(timer);
  signal.removeEventListener("abort", giveUp);
  const current = store.currentRevision();
  if (current < revision) throw tooLarge(revision, current);
}

function tooLarge(revision: number, current: number): ApiError {
  return new ApiError(504, "Timeout", `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}
