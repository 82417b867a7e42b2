/**
 * Linearizability of one object with compare-and-swap, decided as Porcupine does: a depth-first search for an order of the operations that
 * respects real time and the model, with a cache of visited configurations (Wing and Gong's algorithm with Lowe's improvement). Objects are
 * independent of each other, so a history is linearizable if that of every object is.
 */

/** A request of a client. Every write stores a value of its own, so a value identifies a version of the object. */
export type Request =
  | { readonly type: "read" }
  | { readonly type: "create"; readonly value: string }
  /** Stores the value if the object still has the value `from`. */
  | { readonly type: "update"; readonly from: string; readonly value: string }
  | { readonly type: "delete" };

/** The response to a request; unknown: the request may have been executed, at any time after it was sent, or not. */
export type Outcome =
  | { readonly type: "value"; readonly value: string }
  | { readonly type: "missing" }
  | { readonly type: "done" }
  | { readonly type: "exists" }
  | { readonly type: "conflict" }
  | { readonly type: "unknown" };

/** One operation of a client, with the times at which it was sent and answered. */
export interface Operation {
  readonly request: Request;
  readonly outcome: Outcome;
  readonly sent: number;
  readonly answered: number;
}

/** The value of the object; undefined: it does not exist. */
type State = string | undefined;

/** Applies an operation to a state. Returns the next state, or "refused" if the outcome contradicts the state. */
function apply(state: State, { request, outcome }: Operation): { readonly next: State } | "refused" {
  const isUnknown = outcome.type === "unknown";
  switch (request.type) {
    case "read":
      if (isUnknown) return { next: state };
      return (outcome.type === "value" ? outcome.value : undefined) === state ? { next: state } : "refused";
    case "create":
      if (state !== undefined) return outcome.type === "exists" || isUnknown ? { next: state } : "refused";
      return outcome.type === "done" || isUnknown ? { next: request.value } : "refused";
    case "update":
      if (state === request.from) return outcome.type === "done" || isUnknown ? { next: request.value } : "refused";
      if (isUnknown) return { next: state };
      return outcome.type === (state === undefined ? "missing" : "conflict") ? { next: state } : "refused";
    case "delete":
      if (state === undefined) return outcome.type === "missing" || isUnknown ? { next: state } : "refused";
      return outcome.type === "done" || isUnknown ? { next: undefined } : "refused";
  }
}

/** Returns whether the operations on one object, which does not exist at first, can have been executed one after the other. */
export function isLinearizable(history: readonly Operation[]): boolean {
  const operations = [...history].sort((a, b) => a.sent - b.sent);
  const isKnown = operations.map(({ outcome }) => outcome.type !== "unknown");
  // An operation with an unknown outcome never ends: it may be executed long after its client gave up.
  const ends = operations.map(({ answered }, i) => (isKnown[i] ? answered : Number.POSITIVE_INFINITY));
  const visited = new Set<string>();

  const search = (executed: bigint, remaining: number, state: State): boolean => {
    if (remaining === 0) return true;
    const key = `${executed.toString(36)} ${state}`;
    if (visited.has(key)) return false;
    visited.add(key);
    // Whatever ended before another operation began was executed before it.
    let firstEnd = Number.POSITIVE_INFINITY;
    for (let i = 0; i < operations.length; i++) {
      if (((executed >> BigInt(i)) & 1n) === 0n && (ends[i] as number) < firstEnd) firstEnd = ends[i] as number;
    }
    for (const [i, operation] of operations.entries()) {
      if (operation.sent > firstEnd) break;
      if (((executed >> BigInt(i)) & 1n) === 1n) continue;
      const applied = apply(state, operation);
      if (applied === "refused" || (!isKnown[i] && applied.next === state)) continue;
      if (search(executed | (1n << BigInt(i)), remaining - (isKnown[i] ? 1 : 0), applied.next)) return true;
    }
    return false;
  };
  return search(0n, isKnown.filter(Boolean).length, undefined);
}
