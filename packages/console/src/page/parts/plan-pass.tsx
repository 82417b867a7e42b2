/** One reconcile pass: what it read, what it decided, and whether today's code would decide the same. */
import type { JSX } from "preact";
import type { PlanPass } from "../../protocol.ts";
import { formatDuration } from "../model/format.ts";
import { RunLink, Time } from "./basics.tsx";
import { Steps } from "./changes.tsx";

export function PlanPassView({ pass }: { readonly pass: PlanPass }): JSX.Element {
  const done = pass.steps.filter(({ step }) => step !== "skip");
  const skipped = pass.steps.filter(({ step }) => step === "skip");
  return (
    <article class="pass">
      <header class="pass-head">
        <strong>
          Pass {pass.pass} of {pass.controller}
        </strong>
        <RunLink id={pass.run} />
        <span class="muted">{pass.phase}</span>
        <Time time={pass.time} />
        {pass.requeueAfter !== undefined && <span class="muted">again after {formatDuration(pass.requeueAfter)}</span>}
        {!pass.replayable && <span class="muted">cannot be replayed: {pass.notReplayableReason}</span>}
      </header>
      {pass.error !== undefined && <p class="bad mono wrap">{pass.error}</p>}
      {done.length > 0 && <Steps steps={done} />}
      {done.length === 0 && pass.error === undefined && <p class="muted">Everything was as desired.</p>}
      {skipped.length > 0 && (
        <details>
          <summary>{skipped.length} objects as desired</summary>
          <Steps steps={skipped} />
        </details>
      )}
      {(pass.reads.length > 0 || pass.calls.length > 0 || pass.outside.length > 0) && (
        <details>
          <summary>
            Read {pass.reads.length} objects, {pass.calls.length} calls
            {pass.outside.length > 0 ? `, ${pass.outside.length} outside the cluster` : ""}
          </summary>
          <ul class="reads">
            {pass.reads.map((read) => (
              <li key={`${read.kind} ${read.namespace} ${read.name}`}>
                {read.kind} {read.namespace === undefined ? "" : `${read.namespace}/`}
                {read.name} <span class="mono muted">{read.resourceVersion === undefined ? "" : `r${read.resourceVersion}`}</span>
              </li>
            ))}
            {pass.calls.map((call, i) => (
              <li key={`${i} ${call.call}`}>
                <code>{call.call}</code> {call.error !== undefined && <span class="bad">{call.error}</span>}
              </li>
            ))}
            {pass.outside.map((what) => (
              <li key={what}>
                <code>{what}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  );
}
