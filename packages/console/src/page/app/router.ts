/**
 * The URL is the state: what is shown is a function of the location, so every view is a link and reload shows the same. `at`, the moment that all pages
 * show, is kept by every link that does not name another one.
 */
import { computed, signal } from "@preact/signals";

/** The place that a URL names. */
export interface Location {
  /** Path segments, decoded: ["o", "apps", "deployments", "default", "web"]. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Values of query parameters; undefined removes one. */
export type Query = Readonly<Record<string, string | number | undefined>>;

export function parseLocation(url: string): Location {
  const { pathname, searchParams } = new URL(url, "http://x");
  return { path: pathname.split("/").filter(Boolean).map(decode), query: Object.fromEntries(searchParams) };
}

/** A segment that is no valid percent-encoding is taken as it is: the page that shows it says that there is no such thing. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function formatLocation(path: readonly string[], query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") search.set(name, String(value));
  const text = search.toString();
  return `/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

export const location = signal<Location>({ path: [], query: {} });

/** The revision that all pages show; undefined: the newest, live. */
export const at = computed<number | undefined>(() => {
  const value = location.value.query["at"];
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
});

/** A link to a place, at the moment that is shown now. */
export function href(path: readonly string[], query: Query = {}): string {
  return formatLocation(path, { at: at.value, ...query });
}

/** A link to this place with other query parameters. */
export function here(query: Query): string {
  return formatLocation(location.value.path, { ...location.value.query, ...query });
}

/** Shows a place. `replace`: without a new entry in the history, for what follows typing or a slider. */
export function go(url: string, replace = false): void {
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  location.value = parseLocation(url);
}

/** Follows the address bar and plain clicks on links of this origin. */
export function startRouter(): void {
  const read = () => {
    location.value = parseLocation(window.location.href);
  };
  read();
  addEventListener("popstate", read);
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const target = link?.getAttribute("href");
    if (target === null || target === undefined || !target.startsWith("/") || link?.hasAttribute("download")) return;
    event.preventDefault();
    go(target);
  });
}
