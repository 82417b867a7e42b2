import type { Counter, Histogram, MetricsRegistry } from "pintle/internal/metrics";
import {
  type ApiResponse,
  getQueryParameter,
  isLongRunning,
  type RequestContext,
  type RequestInfo,
  type WatchSink,
  type WatchStream,
} from "../api/index.ts";

/** Counts requests and watches. */
export interface RequestMetrics {
  /** Counts a request behind authentication; the returned function is called with its response. */
  start(context: RequestContext): (response: ApiResponse) => void;
  /** Counts a watch and its events until it ends. */
  trackWatch(context: RequestContext, stream: WatchStream): WatchStream;
  /** Counts an entry of the audit log. */
  recordAuditEvent(): void;
}

const DURATION_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const SLI_BUCKETS = DURATION_BUCKETS.slice(2);
const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** In alphabetical order, as kube-apiserver writes them. */
const ROUTE_LABELS = ["component", "group", "resource", "scope", "subresource", "verb", "version"];
const DURATION_LABELS = ["component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"];
const TOTAL_LABELS = ["code", ...DURATION_LABELS];

const MUTATING_VERBS = new Set(["create", "update", "patch", "delete", "deletecollection", "post", "put"]);
const APPLY_PATCH = "application/apply-patch+yaml";

/** Registers the metrics of requests. Only requests that were routed have labels: clients must not be able to create series. */
export function createRequestMetrics(registry: MetricsRegistry): RequestMetrics {
  const total = registry.counter("apiserver_request_total", "Requests, by verb, dry run, resource, scope and response code", TOTAL_LABELS);
  const duration = registry.histogram(
    "apiserver_request_duration_seconds",
    "Time to respond, in seconds; of a watch until it ended",
    DURATION_LABELS,
    DURATION_BUCKETS,
  );
  const sli = registry.histogram(
    "apiserver_request_sli_duration_seconds",
    "Time to respond, in seconds; not of watches and other long-running requests",
    ROUTE_LABELS,
    SLI_BUCKETS,
  );
  const sizes = registry.histogram("apiserver_response_sizes", "Size of responses in bytes, where it is known", ROUTE_LABELS, SIZE_BUCKETS);
  const terminations = registry.counter(
    "apiserver_request_terminations_total",
    "Requests that ended early: too many at a time, or too slow",
    ["code", ...ROUTE_LABELS],
  );
  const inFlight = createInFlightGauge(registry);
  const watches = createWatchMetrics(registry, { total, duration });
  const audited = registry.counter("apiserver_audit_event_total", "Entries of the audit log");
  audited.set([], 0);
  registry.counter("apiserver_audit_requests_rejected_total", "Requests that failed because the audit log could not be written").set([], 0);

  return {
    start(context) {
      const startedAt = performance.now();
      const end = inFlight.begin(context.requestInfo);
      return (response) => {
        end();
        const { status, body } = response;
        if (status === 429 || status === 504) terminations.add([String(status), ...getRouteLabels(context)]);
        if (body.type === "watch" || !isRouted(context)) return;
        const [component, ...route] = getRouteLabels(context) as [string, ...string[]];
        const dryRun = getDryRun(context);
        const seconds = (performance.now() - startedAt) / 1000;
        total.add([String(status), component, dryRun, ...route]);
        duration.observe([component, dryRun, ...route], seconds);
        if (isLongRunning(context.requestInfo)) return;
        sli.observe([component, ...route], seconds);
        if (body.type === "bytes") sizes.observe([component, ...route], body.bytes.length);
      };
    },
    trackWatch: watches.track,
    recordAuditEvent: () => audited.add([]),
  };
}

/** The current requests; each scrape also sees the most since the last one, because requests are shorter than the time between scrapes. */
function createInFlightGauge(registry: MetricsRegistry) {
  const gauge = registry.gauge("apiserver_current_inflight_requests", "The most requests at a time since the last scrape, by kind", [
    "request_kind",
  ]);
  const kinds = { mutating: { now: 0, most: 0 }, readOnly: { now: 0, most: 0 } };
  registry.beforeScrape(() => {
    for (const [name, kind] of Object.entries(kinds)) {
      gauge.set([name], kind.most);
      kind.most = kind.now;
    }
  });
  return {
    begin(info: RequestInfo): () => void {
      if (isLongRunning(info)) return () => {};
      const kind = MUTATING_VERBS.has(info.verb) ? kinds.mutating : kinds.readOnly;
      kind.now++;
      if (kind.now > kind.most) kind.most = kind.now;
      return () => {
        kind.now--;
      };
    },
  };
}

interface WatchEnds {
  readonly total: Counter;
  readonly duration: Histogram;
}

function createWatchMetrics(registry: MetricsRegistry, { total, duration }: WatchEnds) {
  const open = new Map<string, { readonly labels: readonly string[]; count: number }>();
  const running = registry.gauge("apiserver_longrunning_requests", "Open watches", ROUTE_LABELS);
  const events = registry.counter("apiserver_watch_events_total", "Events sent to watches", ["group", "resource", "version"]);
  const sent = new Map<string, { readonly labels: readonly string[]; count: number }>();
  registry.beforeScrape(() => {
    for (const { labels, count } of sent.values()) events.set(labels, count);
    running.clear();
    for (const { labels, count } of open.values()) if (count > 0) running.set(labels, count);
  });
  return {
    track(context: RequestContext, stream: WatchStream): WatchStream {
      const labels = getRouteLabels(context);
      // Empty for a watch that fault injection answers before it is routed.
      const [, group = "", plural = "", , , , version = ""] = labels;
      const sentKey = `${group} ${plural} ${version}`;
      const sentEvents = sent.get(sentKey) ?? { labels: [group, plural, version], count: 0 };
      sent.set(sentKey, sentEvents);
      const key = labels.join(" ");
      return {
        open(sink) {
          const openedAt = performance.now();
          const same = open.get(key) ?? { labels, count: 0 };
          open.set(key, same);
          same.count++;
          let isOver = false;
          const end = () => {
            if (isOver) return;
            isOver = true;
            same.count--;
            const [component = "", ...route] = labels;
            total.add(["200", component, "", ...route]);
            duration.observe([component, "", ...route], (performance.now() - openedAt) / 1000);
          };
          const counted: WatchSink = {
            event(event) {
              sentEvents.count++;
              sink.event(event);
            },
            end() {
              end();
              sink.end();
            },
            disconnect() {
              end();
              sink.disconnect();
            },
          };
          const stop = stream.open(counted);
          return () => {
            end();
            stop();
          };
        },
      };
    },
  };
}

/** The paths that kube-apiserver counts; its labels of the others are empty, and they have no series. */
const COUNTED_PATHS: Readonly<Record<string, { readonly component: string; readonly subresource: string }>> = {
  api: { component: "apiserver", subresource: "api" },
  apis: { component: "apiserver", subresource: "apis" },
  healthz: { component: "", subresource: "/healthz" },
  livez: { component: "", subresource: "/livez" },
  readyz: { component: "", subresource: "/readyz" },
};

function isRouted({ requestInfo, resource }: RequestContext): boolean {
  return requestInfo.type === "resource" ? resource !== undefined : getCountedPath(requestInfo.path) !== undefined;
}

function getCountedPath(path: string) {
  if (path.startsWith("/openapi/v3")) return { component: "", subresource: "openapi/v3" };
  const [root = "", ...rest] = path.split("/", 4).filter((part) => part !== "");
  const counted = Object.hasOwn(COUNTED_PATHS, root) ? COUNTED_PATHS[root] : undefined;
  return rest.length > 0 && (root === "api" || root === "apis") ? undefined : counted;
}

/** Returns component, group, resource, scope, subresource, verb and version. */
function getRouteLabels(context: RequestContext): readonly string[] {
  const { requestInfo, resource, request } = context;
  if (requestInfo.type === "path") {
    const counted = getCountedPath(requestInfo.path);
    return [counted?.component ?? "", "", "", "", counted?.subresource ?? "", request.method === "HEAD" ? "GET" : request.method, ""];
  }
  if (resource === undefined) return ["apiserver", "", "", "", "", getVerb(context, requestInfo), ""];
  const { group, plural, version, subresources } = resource;
  const subresource = subresources.some(({ name }) => name === requestInfo.subresource) ? requestInfo.subresource : "";
  return ["apiserver", group, plural, getScope(context), subresource, getVerb(context, requestInfo), version];
}

function getScope({ info: { name, verb, namespace } }: RequestContext): string {
  if (name !== "" || verb === "create") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}

const VERB_LABELS: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION",
};

function getVerb({ operation, patchType }: RequestContext, { verb }: RequestInfo): string {
  if (operation === "connect") return "CONNECT";
  return patchType.startsWith(APPLY_PATCH) ? "APPLY" : (VERB_LABELS[verb] ?? verb);
}

function getDryRun({ request }: RequestContext): string {
  return getQueryParameter(request.query, "dryRun") === "All" ? "All" : "";
}
