import type { Cache } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { Clock, Random } from "../clock/index.ts";
import type { Controller, Duration, Logger } from "../controller/index.ts";
import type { FlightRecorder } from "../recorder/index.ts";
import type { AnyResource } from "../resource/index.ts";
import type { CertificateFiles } from "../tls/index.ts";
import type { CertificateSource, IssuedCertificates, Webhook } from "../webhook/index.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";

/** Options of `run()` and `startManager()`. */
export interface ManagerOptions {
  /** The controllers to run, in any order. */
  readonly controllers: readonly Controller[];
  /** Admission webhooks. Every replica serves them, whichever leads, and before caches start. Default: none. */
  readonly webhooks?: readonly Webhook[] | undefined;
  /** The server of webhooks and of conversions between versions. Default: at `DEFAULTS.webhookAddress` (":9443") if there are webhooks, else none. */
  readonly webhookServer?: WebhookServerOptions | undefined;
  /** Further resources of the operator for which `pintle generate` writes CRDs. Default: those that controllers and webhooks use. */
  readonly resources?: readonly AnyResource[] | undefined;
  /** Default: a client for the cluster of the kubeconfig, or of the pod. A client passed here is not closed by `stop`. */
  readonly client?: Client | undefined;
  /** Path of the kubeconfig, without `client`. Default: as kubectl finds it. */
  readonly kubeconfig?: string | undefined;
  /** A cache shared with other parts of the program, which must stop it. Default: a cache of the manager. */
  readonly cache?: Cache | undefined;
  /** The watched namespaces. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Workers per controller: objects reconciled at the same time. Default: `DEFAULTS.concurrency` (32). */
  readonly concurrency?: number | undefined;
  /**
   * Leader election: only one of several processes reconciles. `true`: a Lease named after the controllers, in the namespace of the pod.
   * Default: false.
   *
   * *Guarantees*: a request that writes is sent only within `renewDeadline` of the last successful renewal (the write gate), which is before
   * another candidate can take over; clocks of different machines may differ. Losing the lease aborts running reconciliations. *Caveat*: a request
   * already on the wire when the deadline passes cannot be recalled; the time between `renewDeadline` and `leaseDuration` is for it. More in
   * docs/guides/leader-election.md.
   */
  readonly leaderElection?: boolean | LeaderElectionOptions | undefined;
  /** Address of `/healthz` and `/readyz`. "0": none. Default: none; `run()`: `DEFAULTS.healthAddress` (":8081"). */
  readonly health?: string | undefined;
  /** Address or options of `/metrics`. Default: none; `run()`: `DEFAULTS.metricsAddress` ("127.0.0.1:8080"). */
  readonly metrics?: string | MetricsServerOptions | undefined;
  /** How long the first lists may take before the start fails. Default: `DEFAULTS.syncTimeout` ("2m"). */
  readonly syncTimeout?: Duration | undefined;
  /** How long running reconciliations may go on after `stop`. Default: `DEFAULTS.grace` ("30s"). */
  readonly grace?: Duration | undefined;
  /** Default: a logger to standard error; text on a terminal, else JSON. */
  readonly logger?: Logger | undefined;
  /**
   * What a programming error in `reconcile` (TypeError, ReferenceError, RangeError, a wrong return value) does: "retry", like any failure, or "fatal",
   * which stops the manager with that error. Default: `DEFAULTS.bugs` ("retry").
   */
  readonly bugs?: "retry" | "fatal" | undefined;
  /**
   * Records what the controllers do, and why: enqueues, dropped events, runs, plans and writes. Every write carries the id of its run as
   * `Audit-ID`, by which the audit log of the API server can be joined to the recording. The endpoint of `metrics` then also serves `/recording`, to users
   * who may `get` that path (TokenReview and SubjectAccessReview), whatever its address: `pintle record` writes a trace file of it. Default: nothing is
   * recorded.
   */
  readonly recorder?: FlightRecorder | undefined;
  /**
   * Serves a page about what the controllers do, read-only and by the rights of the viewer: `consolePage()` of `@pintle/console`. Records, as with `recorder`.
   * Default: none.
   */
  readonly console?: ConsoleEndpoint | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Source of jitter. Default: `Math.random`. */
  readonly random?: Random | undefined;
  /** Stops the manager when aborted. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of leader election; durations as in client-go. */
export interface LeaderElectionOptions {
  /** Name of the Lease. Default: the names of the controllers. */
  readonly name?: string | undefined;
  /** Namespace of the Lease. Default: the namespace of the pod or kubeconfig context. */
  readonly namespace?: string | undefined;
  /** Identity of this process; must be unique. Default: POD_NAME or the host name, and a random UUID. */
  readonly identity?: string | undefined;
  /** How long other candidates wait after the last renewal before they take over. Default: `DEFAULTS.leaseDuration` ("15s"). */
  readonly leaseDuration?: Duration | undefined;
  /** How long the leader may fail to renew before it stops writing. Default: `DEFAULTS.renewDeadline` ("10s"). */
  readonly renewDeadline?: Duration | undefined;
  /** Interval between attempts to acquire or renew. Default: `DEFAULTS.retryPeriod` ("2s"). */
  readonly retryPeriod?: Duration | undefined;
  /** How long the event loop may be blocked before the thread that renews the lease gives it up. Default: `DEFAULTS.stallTimeout` ("30s"). */
  readonly stallTimeout?: Duration | undefined;
  /** Whether the manager fails when the lease is lost, instead of trying to acquire it again. Default: false. */
  readonly exitOnLoss?: boolean | undefined;
}

/** Options of the metrics endpoint. */
export interface MetricsServerOptions {
  /** ":8080", "127.0.0.1:8080"; "0": none. */
  readonly address: string;
  /**
   * Requires a bearer token whose user may `get` the path `/metrics` (TokenReview and SubjectAccessReview). Results are kept for 30 seconds.
   * Default: true, unless the address is a loopback one.
   */
  readonly requireAuthorization?: boolean | undefined;
  /**
   * HTTPS with a certificate from files, one that the operator issues and keeps in a Secret for Prometheus to verify, or, with `true`, a self-signed
   * one. Default: the value of `requireAuthorization`.
   */
  readonly tls?: boolean | CertificateFiles | IssuedCertificates | undefined;
}

/** Options of the webhook server. */
export interface WebhookServerOptions {
  /** "0": none. Default: `DEFAULTS.webhookAddress` (":9443"). */
  readonly address?: string | undefined;
  /** Default: a self-signed certificate, created at the start. */
  readonly certificates?: CertificateSource | undefined;
  /** Further DNS names and IP addresses in the certificate. Default: those of the Service only. */
  readonly hosts?: readonly string[] | undefined;
}
