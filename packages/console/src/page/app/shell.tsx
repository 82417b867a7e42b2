/** The frame of every page: what is running, where one can go, banners, and the moment that is shown. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { currentFork } from "../data/api.ts";
import { connection, newest, session, version } from "../data/stream.ts";
import { formatDuration } from "../model/format.ts";
import { Excerpt, Mark } from "../parts/basics.tsx";
import { Help } from "./help.tsx";
import { useKeys } from "./keys.ts";
import { pageHref } from "./links.ts";
import { PAGES, PARENTS } from "./pages.ts";
import { Palette } from "./palette.tsx";
import { at, go, here, href, location } from "./router.ts";
import { theme, toggleTheme } from "./theme.ts";
import { TimeBar } from "./time-bar.tsx";

export function Shell({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const palette = useSignal(false);
  const help = useSignal(false);
  const fork = currentFork();
  const path = fork === undefined ? location.value.path : location.value.path.slice(2);
  const current = PARENTS[path[0] ?? ""] ?? path[0] ?? "";
  const lab = (session.value?.faults ?? 0) > 0 || session.value?.virtualClock === true || fork !== undefined;
  useKeys({
    ...Object.fromEntries(PAGES.map((page) => [`g ${page.key}`, () => go(pageHref(page.path === "" ? [] : [page.path]))])),
    "Ctrl-k": () => {
      palette.value = true;
    },
    "/": () =>
      focusFilter(() => {
        palette.value = true;
      }),
    "?": () => {
      help.value = true;
    },
    ".": () => go(here({ at: undefined })),
    Escape: () => (document.activeElement as HTMLElement | null)?.blur(),
  });
  return (
    <div class={lab ? "shell experiment" : "shell"}>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to content
      </a>
      <header class="header">
        <a class="brand" href={href([])}>
          <span class="brand-mark" aria-hidden="true">
            p
          </span>
          <span class="brand-name">{session.value?.name ?? "pintle"}</span>
        </a>
        <Moment />
        <button
          type="button"
          class="search"
          onClick={() => {
            palette.value = true;
          }}
        >
          <span>Search</span>
          <kbd>Ctrl K</kbd>
        </button>
        <div class="header-side">
          <Where />
          <Build />
          <button type="button" class="plain" onClick={toggleTheme} title="Light, dark, or as the system">
            Theme: {theme.value}
          </button>
          <button
            type="button"
            class="plain"
            aria-label="Keys and help"
            onClick={() => {
              help.value = true;
            }}
          >
            ?
          </button>
        </div>
      </header>
      <nav class="nav" aria-label="Pages">
        {PAGES.map((page) => (
          <a key={page.path} href={pageHref(page.path === "" ? [] : [page.path])} aria-current={current === page.path ? "page" : undefined}>
            {page.name}
          </a>
        ))}
      </nav>
      <Banners />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <TimeBar />
      <Announcer />
      {palette.value && (
        <Palette
          close={() => {
            palette.value = false;
          }}
        />
      )}
      {help.value && (
        <Help
          close={() => {
            help.value = false;
          }}
        />
      )}
    </div>
  );
}

function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** `/` goes to the filter of the page, where it has one. */
function focusFilter(otherwise: () => void): void {
  const filter = document.querySelector<HTMLInputElement>("main input[type=search]");
  filter?.focus();
  filter?.select();
  if (filter === null) otherwise();
}

function Moment(): JSX.Element {
  const revision = newest.value;
  if (at.value !== undefined)
    return (
      <span class="moment past">
        <Mark tone="accent">r{at.value}</Mark>
        <a href={here({ at: undefined })}>Go live</a>
      </span>
    );
  if (session.value?.mode === "trace")
    return (
      <span class="moment">
        <Mark tone="plain">trace{revision === undefined ? "" : ` r${revision}`}</Mark>
      </span>
    );
  const tone = connection.value === "live" ? "good" : "warn";
  const word = connection.value === "live" ? "live" : connection.value === "lost" ? "stale" : "connecting";
  return (
    <span class="moment">
      <Mark tone={tone}>
        {word}
        {revision === undefined ? "" : ` r${revision}`}
      </Mark>
    </span>
  );
}

function Where(): JSX.Element {
  const value = session.value;
  const fork = currentFork();
  if (fork !== undefined) return <span class="chip">fork {fork}</span>;
  return (
    <span class="muted">{value === undefined ? "" : value.mode === "production" ? `${value.cluster}, read-only` : value.cluster}</span>
  );
}

function Build(): JSX.Element | null {
  const build = session.value?.build;
  if (build === undefined) return null;
  const failed = build.result === "failed";
  return (
    <Mark tone={failed ? "bad" : "good"}>
      build {build.number} {failed ? "failed" : `ok, ${formatDuration(build.duration)}`}
    </Mark>
  );
}

function Banners(): JSX.Element {
  const value = session.value;
  const failed = value?.build?.result === "failed" ? value.build : undefined;
  return (
    <div class="banners">
      {connection.value === "lost" && (
        <div class="banner warn-notice" role="status">
          <Mark tone="warn">The connection to pintle is lost. What is shown is stale; it continues by itself.</Mark>
        </div>
      )}
      {failed !== undefined && (
        <div class="banner bad-notice" role="alert">
          <Mark tone="bad">
            Build {failed.number} failed{value?.operator?.state === "running" ? "; the previous build keeps running" : ""}.
          </Mark>
          <code class="wrap">{failed.problems[0]?.text}</code>
          {failed.problems.some(({ excerpt }) => excerpt !== undefined) && (
            <details class="problem" open={location.value.path.length === 0}>
              <summary>{failed.problems.length === 1 ? "Source" : `All ${failed.problems.length} problems`}</summary>
              {failed.problems.map((problem) => (
                <div key={problem.text}>
                  {failed.problems.length > 1 && <pre>{problem.text}</pre>}
                  {problem.excerpt !== undefined && <Excerpt excerpt={problem.excerpt} />}
                </div>
              ))}
            </details>
          )}
        </div>
      )}
      {value?.operator?.state === "stopped" && (
        <div class="banner warn-notice" role="status">
          <Mark tone="warn">The operator is not running.</Mark>
        </div>
      )}
      {(value?.faults ?? 0) > 0 && (
        <div class="banner mark-notice" role="status">
          <Mark tone="accent">{value?.faults === 1 ? "One fault rule is" : `${value?.faults} fault rules are`} active.</Mark>
          <a href={pageHref(["lab"])}>Lab</a>
        </div>
      )}
    </div>
  );
}

/** Says aloud what changed in summary, never every fact. */
function Announcer(): JSX.Element {
  version.value;
  const build = session.value?.build;
  const text = [
    build === undefined ? "" : `Build ${build.number} ${build.result}.`,
    connection.value === "lost" ? "Connection lost." : "",
    at.value === undefined ? "" : `Showing revision ${at.value}.`,
  ].join(" ");
  return (
    <div class="hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
