/** Small parts that every page uses. */
import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ApiFailure, ObjectPath, ObjectSummary, SourceExcerpt } from "../../protocol.ts";
import { chainHref, formatObjectPath, objectHref, runHref } from "../app/links.ts";
import { here } from "../app/router.ts";
import { clusterNow, session, version } from "../data/stream.ts";
import { formatDuration, formatTime } from "../model/format.ts";

export type Tone = "good" | "warn" | "bad" | "plain" | "accent";

/** Text with a mark of its own shape, so that colour is never alone. */
export function Mark({ tone, children }: { readonly tone: Tone; readonly children?: ComponentChildren }): JSX.Element {
  const shape = { good: "●", warn: "▲", bad: "✕", plain: "○", accent: "◆" }[tone];
  return (
    <span class={`mark ${tone}`}>
      <span aria-hidden="true">{shape}</span>
      {children !== undefined && <span class="mark-text">{children}</span>}
    </span>
  );
}

export const STATE_TONES: Readonly<Record<ObjectSummary["state"], Tone>> = {
  ok: "good",
  progressing: "warn",
  failed: "bad",
  unknown: "plain",
};

export function ObjectLink({ path, children }: { readonly path: ObjectPath; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <a href={objectHref(path)} title={path}>
      {children ?? formatObjectPath(path)}
    </a>
  );
}

/** A revision as a link to what it caused. */
export function RevisionLink({ revision }: { readonly revision: number }): JSX.Element {
  return (
    <a class="mono" href={chainHref(revision)} title={`What r${revision} caused`}>
      r{revision}
    </a>
  );
}

export function RunLink({ id, children }: { readonly id: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <a class="mono" href={runHref(id)}>
      {children ?? `run ${id.slice(id.indexOf("-") + 1)}`}
    </a>
  );
}

/** A moment; the whole date is in the tooltip. */
export function Time({ time }: { readonly time: number }): JSX.Element {
  return (
    <time class="mono muted" dateTime={new Date(time).toISOString()} title={new Date(time).toLocaleString()}>
      {formatTime(time)}
    </time>
  );
}

const second = signal(0);
window.setInterval(() => {
  second.value++;
}, 1_000);

/** "in 4.2 s", "12 s ago", by the cluster's clock. */
export function Relative({ time }: { readonly time: number }): JSX.Element {
  second.value;
  version.value;
  const left = time - clusterNow();
  return <span title={formatTime(time)}>{left >= 0 ? `in ${formatDuration(left)}` : `${formatDuration(-left)} ago`}</span>;
}

export function Copy({ text, label = "Copy" }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = window.setTimeout(() => setDone(false), 1_500);
    return () => window.clearTimeout(timer);
  }, [done]);
  return (
    <button
      type="button"
      class="plain"
      aria-label={`${label}: ${text}`}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      {done ? "Copied" : label}
    </button>
  );
}

/** A line to type or to write, with a button that copies it. */
export function CodeLine({ text }: { readonly text: string }): JSX.Element {
  return (
    <span class="code-line">
      <code>{text}</code>
      <Copy text={text} />
    </span>
  );
}

/** Lines of a source file around the one that is meant. */
export function Excerpt({ excerpt }: { readonly excerpt: SourceExcerpt }): JSX.Element {
  return (
    <figure class="excerpt">
      <figcaption>
        <code>
          {excerpt.file}:{excerpt.line}
        </code>
        {excerpt.editor !== undefined && <a href={excerpt.editor}>Open in editor</a>}
      </figcaption>
      <ol class="mono">
        {excerpt.lines.map((line, i) => (
          <li key={excerpt.first + i} class={excerpt.first + i === excerpt.line ? "meant" : ""}>
            <span class="line-number muted">{excerpt.first + i}</span>
            <span class="line-text">{line}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

/** Why there is nothing to show. History that is gone links to the oldest that is there. */
export function Failure({ error }: { readonly error: ApiFailure["error"] }): JSX.Element {
  return (
    <div class="notice bad-notice" role="alert">
      <Mark tone="bad">{error.message}</Mark>
      {error.oldest !== undefined && <a href={here({ at: error.oldest })}>Show r{error.oldest}, the oldest</a>}
      {error.fields !== undefined && error.fields.length > 0 && (
        <ul>
          {error.fields.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

interface ReadingProps<T> {
  readonly state: { readonly data: T | undefined; readonly error: ApiFailure["error"] | undefined; readonly loading: boolean };
  readonly children: (data: T) => ComponentChildren;
}

/** Shows what was read: old content stays while it is read again; a skeleton appears only after 200 ms. */
export function Reading<T>({ state: { data, error, loading }, children }: ReadingProps<T>): JSX.Element {
  const [slow, setSlow] = useState(false);
  const empty = data === undefined && error === undefined;
  useEffect(() => {
    if (!empty) return setSlow(false);
    const timer = window.setTimeout(() => setSlow(true), 200);
    return () => window.clearTimeout(timer);
  }, [empty]);
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      {data !== undefined && (
        <div class={loading ? "contents stale" : "contents"} aria-busy={loading}>
          {children(data)}
        </div>
      )}
      {empty && slow && (
        <div class="skeleton" role="status">
          <span class="hidden">Reading</span>
          <i />
          <i />
          <i />
        </div>
      )}
    </>
  );
}

/** Whether the session allows a write. */
export function can(capability: NonNullable<typeof session.value>["can"][number]): boolean {
  return session.value?.can.includes(capability) === true;
}

/** A page's title line. */
export function Title({ title, children }: { readonly title: ComponentChildren; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="title">
      <h1>{title}</h1>
      {children !== undefined && <div class="title-side">{children}</div>}
    </div>
  );
}

/** A titled part of a page. */
export function Section({
  title,
  side,
  children,
}: {
  readonly title: string;
  readonly side?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="section" aria-label={title}>
      <div class="section-head">
        <h2>{title}</h2>
        {side}
      </div>
      {children}
    </section>
  );
}
