/** One run: why it happened, where its time went, what it decided and wrote. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ReplayedPass, RunDetail, RunSummary } from "../../protocol.ts";
import { pageHref } from "../app/links.ts";
import { write } from "../data/api.ts";
import { clusterNow } from "../data/stream.ts";
import { useRead } from "../data/use-read.ts";
import { formatDuration } from "../model/format.ts";
import { can, Excerpt, Mark, ObjectLink, Reading, Relative, RevisionLink, Section, Time, Title } from "../parts/basics.tsx";
import { Cause } from "../parts/causes.tsx";
import { InlineChanges, Steps } from "../parts/changes.tsx";
import { PlanPassView } from "../parts/plan-pass.tsx";
import { RequestTable } from "../parts/request-table.tsx";
import { useAction } from "../parts/use-action.ts";
import { RESULT_TONES } from "./runs.tsx";

export function Run({ id }: { readonly id: string }): JSX.Element {
  const state = useRead("/api/runs/:id", [id]);
  return (
    <div class="page">
      {state.data === undefined && state.error !== undefined && <Title title={`Run ${id}`} />}
      <Reading state={state}>{(detail) => <Detail detail={detail} />}</Reading>
    </div>
  );
}

function Detail({ detail }: { readonly detail: RunDetail }): JSX.Element {
  const { run, frames, excerpt, passes, requests, logs, wokenBy } = detail;
  return (
    <>
      <Title
        title={
          <>
            <span class="muted">{run.controller} </span>
            {run.key}
          </>
        }
      >
        <Mark tone={RESULT_TONES[run.result]}>{run.result.replace("_", " ")}</Mark>
        <span class="mono muted">run {run.id}</span>
        <Time time={run.time} />
        {run.object !== undefined && <ObjectLink path={run.object}>Object</ObjectLink>}
        {run.build !== undefined && <span class="muted">build {run.build}</span>}
      </Title>
      {run.error !== undefined && (
        <div class="notice bad-notice">
          <p class="mono wrap">{run.error}</p>
          {run.nextRetry !== undefined && (
            <p>
              {run.nextRetry > clusterNow() ? "Next retry " : "The retry was due "}
              <Relative time={run.nextRetry} />
            </p>
          )}
        </div>
      )}
      {excerpt !== undefined && <Excerpt excerpt={excerpt} />}
      {frames.length > 0 && (
        <details>
          <summary>Stack of {frames.length} frames</summary>
          <pre>{frames.join("\n")}</pre>
        </details>
      )}
      <Section title="Woken by">
        <ul class="woken">
          {wokenBy.map(({ cause, path, changes, by }, i) => (
            <li key={i}>
              <div>
                <Cause cause={cause} /> {path !== undefined && <ObjectLink path={path} />}{" "}
                {by !== undefined && <span class="muted">by {by}</span>}
              </div>
              {changes.length > 0 && <InlineChanges changes={changes} />}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Time">
        <TimeParts run={run} />
      </Section>
      {passes.length > 0 && (
        <Section title="Plan" side={can("replay") ? <Replay run={run.id} /> : undefined}>
          <div class="passes">
            {passes.map((pass) => (
              <PlanPassView key={pass.pass} pass={pass} />
            ))}
          </div>
        </Section>
      )}
      {run.commits.length > 0 && (
        <p>
          Committed{" "}
          {run.commits.map((revision) => (
            <span key={revision}>
              <RevisionLink revision={revision} />{" "}
            </span>
          ))}
        </p>
      )}
      {requests.length > 0 && (
        <Section title="Requests" side={<a href={pageHref(["requests"], { run: run.id })}>Alone</a>}>
          <RequestTable requests={requests} maxRows={8} />
        </Section>
      )}
      {logs.length > 0 && (
        <Section title="Log">
          <ul class="panel log-lines">
            {logs.map((line, i) => (
              <li key={i} class={`mono wrap ${line.level === "error" ? "bad" : line.level === "warning" ? "warn" : ""}`}>
                <Time time={line.time} /> {line.text}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** Where the time went, as a bar and as the same numbers. */
function TimeParts({ run }: { readonly run: RunSummary }): JSX.Element {
  const requests = run.requesting ?? 0;
  const reconcile = Math.max(0, (run.reconciling ?? 0) - requests);
  const rest = Math.max(0, run.duration - Math.max(run.reconciling ?? 0, requests));
  const parts = [
    { name: "waited", ms: run.waited },
    { name: "reconcile", ms: reconcile },
    { name: "requests", ms: requests },
    { name: "rest", ms: rest },
  ];
  return <PartsBar parts={parts} />;
}

export function PartsBar({ parts }: { readonly parts: readonly { readonly name: string; readonly ms: number }[] }): JSX.Element {
  const total = parts.reduce((sum, { ms }) => sum + ms, 0);
  let x = 0;
  return (
    <div class="parts">
      <svg class="parts-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, ms }, i) => {
          const width = total === 0 ? 0 : (ms / total) * 100;
          const rect = <rect key={name} class={`part part-${i}`} x={x} y={0} width={width} height={8} />;
          x += width;
          return rect;
        })}
      </svg>
      <dl class="parts-list">
        {parts.map(({ name, ms }, i) => (
          <div key={name}>
            <dt>
              <span class={`swatch part-${i}`} aria-hidden="true" />
              {name}
            </dt>
            <dd class="mono">{formatDuration(ms)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Replay({ run }: { readonly run: string }): JSX.Element {
  const [passes, setPasses] = useState<readonly ReplayedPass[] | undefined>(undefined);
  const action = useAction(async () => setPasses((await write("/api/replay", { run })).passes));
  return (
    <div class="replay">
      <button type="button" disabled={action.busy} onClick={action.run}>
        {action.busy ? "Replaying" : "Replay with today's code"}
      </button>
      {action.error !== undefined && <p class="bad">{action.error.message}</p>}
      {passes !== undefined && (
        <div class="replayed" role="status" aria-label="Replay">
          {passes.map((pass) => (
            <article key={pass.pass} class="pass">
              <header class="pass-head">
                <strong>Pass {pass.pass}</strong>
                <Mark tone={pass.result === "same" ? "good" : pass.result === "differs" ? "warn" : "plain"}>{pass.result}</Mark>
                <span class="muted">nothing was sent</span>
              </header>
              {pass.text !== "" && <pre>{pass.text}</pre>}
              <div class="beside">
                <div>
                  <h3>Recorded</h3>
                  {pass.recordedError !== undefined && <p class="bad mono wrap">{pass.recordedError}</p>}
                  <Steps steps={pass.recorded} />
                </div>
                <div>
                  <h3>Today</h3>
                  {pass.replayedError !== undefined && <p class="bad mono wrap">{pass.replayedError}</p>}
                  <Steps steps={pass.replayed} />
                </div>
              </div>
            </article>
          ))}
        </div>
      )}
    </div>
  );
}
