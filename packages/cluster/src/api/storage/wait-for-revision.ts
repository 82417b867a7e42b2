import { ApiError } from "../../status/index.ts";
import type { ApiRequest } from "../request/api-request.ts";
import type { ServerDependencies } from "../request-context.ts";

const REVISION_TIMEOUT_MS = 3000;

/** Waits up to three seconds for a revision. Throws 504. The request's signal is created only if there is something to wait for. */
export async function waitForRevision(
  { store, clock }: Pick<ServerDependencies, "store" | "clock">,
  revision: number,
  request: Pick<ApiRequest, "signal">,
): Promise<void> {
  if (store.currentRevision() >= revision) return;
  const signal = request.signal();
  const patience = new AbortController();
  const giveUp = () => patience.abort();
  signal.addEventListener("abort", giveUp);
  const timer = clock.setTimeout(giveUp, REVISION_TIMEOUT_MS);
  await store.waitForRevision(revision, patience.signal);
  clock.clearTimeout(timer);
  signal.removeEventListener("abort", giveUp);
  const current = store.currentRevision();
  if (current < revision) throw tooLargeResourceVersionError(revision, current);
}

function tooLargeResourceVersionError(revision: number, current: number): ApiError {
  return new ApiError(504, "Timeout", `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}
