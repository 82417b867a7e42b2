/** A write that a button starts: one at a time, with its failure. */
import { useRef, useState } from "preact/hooks";
import type { ApiFailure } from "../../protocol.ts";
import { toFailure } from "../data/api.ts";

export interface Action {
  readonly run: () => void;
  readonly busy: boolean;
  readonly error: ApiFailure["error"] | undefined;
}

export function useAction(act: () => Promise<void>): Action {
  const [state, setState] = useState<{ readonly busy: boolean; readonly error?: ApiFailure["error"] | undefined }>({ busy: false });
  const busy = useRef(false);
  const run = () => {
    if (busy.current) return;
    busy.current = true;
    setState({ busy: true });
    act()
      .then(
        () => setState({ busy: false }),
        (error: unknown) => setState({ busy: false, error: toFailure(error) }),
      )
      .finally(() => {
        busy.current = false;
      });
  };
  return { run, busy: state.busy, error: state.error };
}
