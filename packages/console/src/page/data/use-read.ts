/** Reads from the server for a component: keeps what it shows while it reads again, and reads again when something happened. */
import { effect, untracked } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { ApiFailure, Reads } from "../../protocol.ts";
import { at } from "../app/router.ts";
import { type QueryValues, readFrom, readUrl, toFailure } from "./api.ts";
import { version } from "./stream.ts";

export interface ReadState<T> {
  readonly data: T | undefined;
  readonly error: ApiFailure["error"] | undefined;
  /** Whether another place or moment is being read; what `data` shows is the one before. */
  readonly loading: boolean;
  readonly again: () => void;
}

interface Held<T> {
  readonly url: string | undefined;
  readonly data: T | undefined;
  readonly error: ApiFailure["error"] | undefined;
}

/** `route` undefined: reads nothing. */
export function useRead<R extends keyof Reads>(
  route: R | undefined,
  variables: readonly (string | number)[] = [],
  query: QueryValues = {},
): ReadState<Reads[R]> {
  const url = route === undefined ? undefined : readUrl(route, variables, query);
  const [held, setHeld] = useState<Held<Reads[R]>>({ url: undefined, data: undefined, error: undefined });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (url === undefined) return;
    const stop = new AbortController();
    let busy = false;
    let again = false;
    const read = async (): Promise<void> => {
      if (busy) {
        again = true;
        return;
      }
      busy = true;
      try {
        const data = await readFrom<Reads[R]>(url, stop.signal);
        if (!stop.signal.aborted) setHeld({ url, data, error: undefined });
      } catch (error) {
        if (stop.signal.aborted) return;
        const failure = toFailure(error);
        // What is there stays while the server cannot be reached.
        setHeld((before) => ({ url, data: failure.code === 0 ? before.data : undefined, error: failure }));
      } finally {
        busy = false;
        if (again && !stop.signal.aborted) {
          again = false;
          void read();
        }
      }
    };
    // The past does not change.
    const dispose = effect(() => {
      if (untracked(() => at.value) === undefined) version.value;
      untracked(() => void read());
    });
    return () => {
      stop.abort();
      dispose();
    };
  }, [url, turn]);
  return { data: held.data, error: held.error, loading: url !== undefined && held.url !== url, again: () => setTurn(turn + 1) };
}
