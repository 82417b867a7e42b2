/** Why a run happened, in one line. */

import type { RunCause } from "pintle";
import type { JSX } from "preact";
import { RevisionLink, RunLink } from "./basics.tsx";

export function Causes({ causes }: { readonly causes: readonly RunCause[] }): JSX.Element | null {
  if (causes.length === 0) return null;
  return (
    <span class="causes">
      <span class="muted">woken by </span>
      {causes.map((cause, i) => (
        <span key={i}>
          {i > 0 && ", "}
          <Cause cause={cause} />
        </span>
      ))}
    </span>
  );
}

export function Cause({ cause: { event, object, first, run, source } }: { readonly cause: RunCause }): JSX.Element {
  const version = Number(object?.resourceVersion);
  return (
    <span>
      {event}
      {object !== undefined && ` ${object.kind} ${object.name}`}
      {object === undefined && source !== undefined && ` ${source}`}
      {object?.resourceVersion !== undefined && Number.isFinite(version) && (
        <>
          {" "}
          {first !== undefined && <span class="mono muted">r{first} to </span>}
          <RevisionLink revision={version} />
        </>
      )}
      {run !== undefined && (
        <>
          {" of "}
          <RunLink id={run} />
        </>
      )}
    </span>
  );
}
