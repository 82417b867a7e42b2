/** The moment that all pages show: a slider over the commits, steps, follow, and a fork of that moment. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { write } from "../data/api.ts";
import { facts, session, version } from "../data/stream.ts";
import { bucketTime, indexOfRevision } from "../model/time-buckets.ts";
import { can } from "../parts/basics.tsx";
import { useAction } from "../parts/use-action.ts";
import { useKeys } from "./keys.ts";
import { at, go, here, href } from "./router.ts";

const BUCKETS = 160;
const HEIGHT = 22;

export function TimeBar(): JSX.Element | null {
  const turn = version.value;
  const { revisions, buckets } = useMemo(() => bucketTime(facts, BUCKETS), [turn]);
  const fork = useAction(async () => {
    const made = await write("/api/lab/forks", { at: at.value });
    go(href(["fork", made.id, "objects"], { at: undefined }));
  });
  const last = revisions.length - 1;
  const index = at.value === undefined ? last : indexOfRevision(revisions, at.value);
  const show = (next: number) => {
    const revision = revisions[Math.max(0, Math.min(last, next))];
    if (revision !== undefined) go(here({ at: revision }), true);
  };
  useKeys({
    "[": () => show(index - 1),
    "]": () => show(index + 1),
    f: () => {
      if (can("fork")) fork.run();
    },
  });
  if (session.value === undefined || revisions.length === 0) return null;
  const tallest = Math.max(1, ...buckets.map(({ count }) => count));
  const width = 100 / buckets.length;
  return (
    <footer class="time-bar">
      <div class="time-track">
        <svg aria-hidden="true" viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none">
          {buckets.map(({ count, worst }, i) => {
            const height = count === 0 ? 0 : 2 + Math.sqrt(count / tallest) * (HEIGHT - 4);
            return (
              <rect key={i} class={`bar ${worst}`} x={i * width} y={HEIGHT - height} width={Math.max(width - 0.12, 0.1)} height={height} />
            );
          })}
        </svg>
        <input
          type="range"
          min={0}
          max={Math.max(0, last)}
          value={index}
          aria-label="Moment"
          aria-valuetext={at.value === undefined ? "now" : `revision ${at.value}`}
          onInput={(event) => show(Number(event.currentTarget.value))}
        />
      </div>
      <div class="time-buttons">
        <button type="button" class="plain" aria-label="Previous commit" title="[" disabled={index <= 0} onClick={() => show(index - 1)}>
          ◀
        </button>
        <span class="mono time-label">{at.value === undefined ? "now" : `r${at.value}`}</span>
        <button
          type="button"
          class="plain"
          aria-label="Next commit"
          title="]"
          disabled={at.value === undefined || index >= last}
          onClick={() => show(index + 1)}
        >
          ▶
        </button>
        <button type="button" class="plain" title="." disabled={at.value === undefined} onClick={() => go(here({ at: undefined }))}>
          Follow
        </button>
        {can("fork") && (
          <button type="button" class="plain" title="f" disabled={fork.busy} onClick={fork.run}>
            Fork here
          </button>
        )}
        {fork.error !== undefined && <span class="bad">{fork.error.message}</span>}
      </div>
    </footer>
  );
}
