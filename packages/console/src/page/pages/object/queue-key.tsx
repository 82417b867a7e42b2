/** What waits for the key of an object, and "run now". */
import type { JSX } from "preact";
import type { QueueKey } from "../../../protocol.ts";
import { write } from "../../data/api.ts";
import { can, Mark, Relative, RunLink, type Tone } from "../../parts/basics.tsx";
import { useAction } from "../../parts/use-action.ts";

export const QUEUE_TONES: Readonly<Record<QueueKey["state"], Tone>> = {
  running: "accent",
  ready: "accent",
  delayed: "plain",
  "backing off": "bad",
};

export function QueueKeyLine({ entry }: { readonly entry: QueueKey }): JSX.Element {
  return (
    <span class="queue-key">
      <Mark tone={QUEUE_TONES[entry.state]}>{entry.state}</Mark>
      <span class="muted">{entry.controller}</span>
      {entry.failures > 0 && <span class="bad">{entry.failures} failures</span>}
      {entry.due !== undefined && (
        <span>
          {entry.failures > 0 ? "next retry " : "due "}
          <Relative time={entry.due} />
        </span>
      )}
      {entry.run !== undefined && <RunLink id={entry.run} />}
      {can("run-now") && entry.state !== "running" && <RunNow entry={entry} />}
    </span>
  );
}

export function RunNow({ entry: { controller, key } }: { readonly entry: QueueKey }): JSX.Element {
  const action = useAction(async () => {
    await write("/api/queue/run", { controller, key });
  });
  return (
    <>
      <button type="button" disabled={action.busy} aria-label={`Run ${key} now`} onClick={action.run}>
        Run now
      </button>
      {action.error !== undefined && <span class="bad">{action.error.message}</span>}
    </>
  );
}
