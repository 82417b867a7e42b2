import { formatTime, setCondition } from "../api/conditions.ts";
import { describeStableError, TerminalFailure } from "../api/failures.ts";
import type { ClusterCatalogStatus } from "../api/types.ts";

/** Status changes of a catalog, each from one status to the next. `at` is the time, `generation` that of the catalog. */
interface At {
  readonly now: number;
  readonly generation: number;
}

const UNAVAILABLE = "Catalog availability mode is set to Unavailable";

/** The content is what the source has, or could not be read. */
export function setProgressing(status: ClusterCatalogStatus, { now, generation }: At, error?: unknown): ClusterCatalogStatus {
  const isTerminal = error instanceof TerminalFailure;
  return set(status, now, {
    type: "Progressing",
    status: isTerminal ? "False" : "True",
    reason: isTerminal ? "Blocked" : error === undefined ? "Succeeded" : "Retrying",
    message: error === undefined ? "Successfully unpacked and stored content from resolved source" : describeStableError(error),
    observedGeneration: generation,
  });
}

/** The content is served. */
export function setServing(
  status: ClusterCatalogStatus,
  { now, generation }: At,
  content: { readonly canonicalReference: string; readonly unpackedAt: number; readonly baseUrl: string },
): ClusterCatalogStatus {
  const served: ClusterCatalogStatus = {
    ...status,
    resolvedSource: { type: "Image", image: { ref: content.canonicalReference } },
    urls: { base: content.baseUrl },
    lastUnpacked: formatTime(content.unpackedAt),
  };
  return set(served, now, {
    type: "Serving",
    status: "True",
    reason: "Available",
    message: "Serving desired content from resolved source",
    observedGeneration: generation,
  });
}

/** The content is gone. */
export function setNotServing(status: ClusterCatalogStatus, { now, generation }: At): ClusterCatalogStatus {
  const { resolvedSource: _, urls: __, lastUnpacked: ___, ...rest } = status;
  return set(rest, now, { type: "Serving", status: "False", reason: "Unavailable", message: "", observedGeneration: generation });
}

/** The user took the catalog out of service. */
export function setUserSpecifiedUnavailable(status: ClusterCatalogStatus, { now, generation }: At): ClusterCatalogStatus {
  const common = { message: UNAVAILABLE, observedGeneration: generation };
  const progressing = set(status, now, { type: "Progressing", status: "True", reason: "Succeeded", ...common });
  return set(progressing, now, { type: "Serving", status: "False", reason: "UserSpecifiedUnavailable", ...common });
}

/** Without conditions that no version of the controller sets now. */
export function clearUnknownConditions(status: ClusterCatalogStatus): ClusterCatalogStatus {
  const conditions = status.conditions?.filter(({ type }) => type === "Serving" || type === "Progressing");
  return conditions === undefined ? status : { ...status, conditions };
}

function set(status: ClusterCatalogStatus, now: number, condition: Parameters<typeof setCondition>[1]): ClusterCatalogStatus {
  return { ...status, conditions: setCondition(status.conditions ?? [], condition, now) };
}
