import type { Cache } from "../cache/index.ts";
import type { Client } from "../client/index.ts";
import type { Controller, Duration, Logger } from "../controller/index.ts";
import type { Clock, Random } from "../queue/index.ts";
import type { AnyResource } from "../resource/index.ts";
import type { CertificateFiles } from "../tls/index.ts";
import type { Certificates, Webhook } from "../webhook/index.ts";

export interface StartOptions {
  readonly controllers: readonly Controller[];
  /** Have a say before objects are stored. Served before caches start, and by every replica, whoever leads. */
  readonly webhooks?: readonly Webhook[] | undefined;
  /** How webhooks, and conversions between versions, are served. Default: with webhooks, at ":9443"; without, not at all. */
  readonly webhookServer?: WebhookServerOptions | undefined;
  /** Resources of this operator that none of its controllers touches: `pintle generate` writes their definitions too. */
  readonly resources?: readonly AnyResource[] | undefined;
  /** Default: the cluster that a kubeconfig, or the pod this runs in, points at. A client given is not closed by `stop`. */
  readonly client?: Client | undefined;
  /** Path of a kubeconfig, where no client is given. */
  readonly kubeconfig?: string | undefined;
  /** A cache to share with other parts of the program; stopped by whoever made it. */
  readonly cache?: Cache | undefined;
  /** Follow these namespaces only: one, several, or, by default, all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Objects per controller at the same time. Default: 16. */
  readonly concurrency?: number | undefined;
  /** Only one of several processes acts. `true`: a lease named after the controllers, in the namespace this runs in. Default: off. */
  readonly leaderElection?: boolean | LeaderElection | undefined;
  /** Where `/healthz` and `/readyz` are served: ":8081". Default: nowhere. */
  readonly health?: string | undefined;
  /** Where `/metrics` is served: ":8080". Default: nowhere. */
  readonly metrics?: string | MetricsOptions | undefined;
  /** How long the first lists may take. Default: two minutes. */
  readonly syncTimeout?: Duration | undefined;
  /** How long what runs may go on after `stop`. Default: 30 s. */
  readonly grace?: Duration | undefined;
  readonly logger?: Logger | undefined;
  /**
   * What a TypeError, ReferenceError or RangeError out of `reconcile` means: "retry", as any other failure, or "fatal", the end
   * of the manager with that error. Default: "retry".
   */
  readonly bugs?: "retry" | "fatal" | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Stops when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

export interface LeaderElection {
  /** Of the Lease. Default: the names of the controllers. */
  readonly name?: string | undefined;
  /** Default: the namespace this runs in. */
  readonly namespace?: string | undefined;
  /** Default: the name of the pod (POD_NAME) or of the host, and something random. */
  readonly identity?: string | undefined;
  /** Default: "15s", "10s", "2s". */
  readonly lease?: Duration | undefined;
  readonly renew?: Duration | undefined;
  readonly retry?: Duration | undefined;
  /** How long the event loop may stand still before the lease is given up, where it is renewed by a thread of its own. Default: "30s". */
  readonly stall?: Duration | undefined;
  /** Give up when the lease is lost, so that the process ends, instead of waiting to lead again. Default: false. */
  readonly exitOnLoss?: boolean | undefined;
}

export interface MetricsOptions {
  readonly address: string;
  /** Only bearer tokens whose owner may `get` the path `/metrics`. */
  readonly guarded?: boolean | undefined;
  /** HTTPS: with a certificate from files, or, for `true`, one made at the start. Default: exactly when guarded. */
  readonly tls?: boolean | CertificateFiles | undefined;
}

export interface WebhookServerOptions {
  /** Default: ":9443". "0": not at all. */
  readonly address?: string | undefined;
  /** Default: one that nobody vouches for, made at the start. */
  readonly certificates?: Certificates | undefined;
  /** More names and addresses that the server is reached by, beside those of its Service. */
  readonly hosts?: readonly string[] | undefined;
}
