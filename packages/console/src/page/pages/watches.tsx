/** Whether the operator sees what it should, and what waits. */
import type { JSX } from "preact";
import type { QueueKey, QueueState, WatchState } from "../../protocol.ts";
import { useRead } from "../data/use-read.ts";
import { count } from "../model/format.ts";
import { can, Empty, Mark, ObjectLink, Reading, Relative, RunLink, Section, Time, Title, type Tone } from "../parts/basics.tsx";
import { QUEUE_TONES, RunNow } from "./object/queue-key.tsx";

const STATE_TONES: Readonly<Record<WatchState["state"], Tone>> = { synced: "good", failed: "bad", unknown: "plain" };

export function Watches(): JSX.Element {
  const state = useRead("/api/watches");
  return (
    <div class="page">
      <Title title="Watches and queue" />
      <Reading state={state}>
        {({ watches, queues }) => (
          <>
            <Section title="Watches">
              {watches.length === 0 ? <Empty title="No watch is recorded yet." /> : <WatchTable watches={watches} />}
            </Section>
            {queues.map((queue) => (
              <Queue key={queue.controller} queue={queue} />
            ))}
          </>
        )}
      </Reading>
    </div>
  );
}

function WatchTable({ watches }: { readonly watches: readonly WatchState[] }): JSX.Element {
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label="Watches">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Objects
            </th>
            <th scope="col">Version</th>
            <th scope="col">Last event</th>
            <th scope="col">Listed</th>
            <th scope="col" class="number">
              Relists
            </th>
            <th scope="col">For</th>
          </tr>
        </thead>
        <tbody>
          {watches.map((watch) => (
            <tr key={`${watch.kind} ${watch.namespace}`}>
              <th scope="row">
                {watch.kind}
                {watch.namespace !== undefined && <span class="muted"> in {watch.namespace}</span>}
              </th>
              <td>
                <Mark tone={STATE_TONES[watch.state]}>{watch.state}</Mark>
                {watch.problem !== undefined && (
                  <div class={watch.state === "failed" ? "bad wrap" : "muted wrap"}>
                    {watch.problem} {watch.problemTime !== undefined && <Relative time={watch.problemTime} />}
                  </div>
                )}
                {watch.history.length > 1 && (
                  <details>
                    <summary>{watch.history.length} changes</summary>
                    <ul>
                      {watch.history.map((entry, i) => (
                        <li key={i}>
                          <Time time={entry.time} /> <Mark tone={entry.event === "failed" ? "bad" : "good"}>{entry.event}</Mark>{" "}
                          {entry.text}
                        </li>
                      ))}
                    </ul>
                  </details>
                )}
              </td>
              <td class="number mono">{watch.objects ?? ""}</td>
              <td class="mono">{watch.revision === undefined ? "" : `r${watch.revision}`}</td>
              <td>{watch.lastEvent === undefined ? "" : <Relative time={watch.lastEvent} />}</td>
              <td>{watch.listed === undefined ? "" : <Relative time={watch.listed} />}</td>
              <td class="number mono">{watch.relists}</td>
              <td class="muted">{watch.controllers.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Queue({ queue }: { readonly queue: QueueState }): JSX.Element {
  const keys = [...queue.running, ...queue.ready, ...queue.delayed];
  return (
    <Section
      title={`Queue of ${queue.controller}`}
      side={
        <span class="muted">
          {queue.running.length} running, {queue.ready.length} ready, {queue.delayed.length} delayed
        </span>
      }
    >
      {keys.length === 0 ? <p class="muted panel">Nothing waits.</p> : <KeyTable keys={keys} />}
    </Section>
  );
}

function KeyTable({ keys }: { readonly keys: readonly QueueKey[] }): JSX.Element {
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label="Keys">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">State</th>
            <th scope="col">Since</th>
            <th scope="col">Due</th>
            <th scope="col">Last error</th>
            <th scope="col">Run</th>
            {can("run-now") && (
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={`${key.state} ${key.key}`}>
              <th scope="row">{key.object === undefined ? key.key : <ObjectLink path={key.object}>{key.key}</ObjectLink>}</th>
              <td>
                <Mark tone={QUEUE_TONES[key.state]}>{key.state}</Mark>
                {key.failures > 0 && <span class="bad"> after {count(key.failures, "failure")}</span>}
              </td>
              <td>{key.since === undefined ? "" : <Relative time={key.since} />}</td>
              <td>{key.due === undefined ? "" : <Relative time={key.due} />}</td>
              <td class="wrap mono">{key.error ?? ""}</td>
              <td>{key.run === undefined ? "" : <RunLink id={key.run} />}</td>
              {can("run-now") && <td>{key.state !== "running" && <RunNow entry={key} />}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
