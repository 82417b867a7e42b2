import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { type Client, Forbidden, loadBearerToken, NotFound } from "pintle/client";
import type { ObjectOf } from "pintle/kinds";
import { Deployment } from "pintle/kinds/apps/v1";
import { Lease } from "pintle/kinds/coordination/v1";
import { Pod, ServiceAccount } from "pintle/kinds/core/v1";
import { CommandError } from "../command/index.ts";
import type { TargetCluster } from "./connect.ts";

type LivePod = ObjectOf<typeof Pod>;

/** An endpoint of a running operator. */
export interface OperatorEndpoint {
  /** "pod shop-system/shop-controller-manager-5c9", or the URL. */
  readonly description: string;
  /** Sends a GET request. Resolves when the whole response has arrived. */
  get(path: string, signal: AbortSignal): Promise<{ readonly status: number; readonly body: string }>;
  /** Sends a GET request with further headers. Resolves with the response as it begins; call `close` at its end. */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<OpenedResponse>;
}

/** A response whose body is still arriving. */
export interface OpenedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

/** The largest response that is read: that of a recording is bounded by the operator's recorder. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const METRICS_PORT = 8443;

/** Returns the pod of an operator that leads; of several that might, the first that is ready. */
export async function findOperatorPod(
  { client, description }: TargetCluster,
  { namespace, deployment, pod: name }: { readonly namespace: string; readonly deployment: string; readonly pod?: string | undefined },
  signal: AbortSignal,
): Promise<LivePod> {
  if (name !== undefined) {
    const pod = await client.find(Pod, { namespace, name }, { signal });
    if (pod === undefined) throw new CommandError("PINTLE7061", `no pod ${name} in namespace ${namespace} of ${description}`);
    return pod;
  }
  const found = await client.find(Deployment, { namespace, name: deployment }, { signal });
  if (found === undefined)
    throw new CommandError(
      "PINTLE7060",
      `there is no Deployment ${deployment} in namespace ${namespace} of ${description}: name the operator with --namespace and --pod, or --deployment`,
    );
  const { items } = await client.list(Pod, { namespace, labels: found.spec.selector.matchLabels ?? {}, signal });
  const ready = items.filter(({ status }) => status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True"));
  const leaders = await listLeaders(client, namespace, signal);
  // The identity of a candidate is the name of its pod, and a random part.
  const leader = ready.find(({ metadata }) => leaders.some((each) => each === metadata.name || each.startsWith(`${metadata.name}_`)));
  const pod = leader ?? ready[0];
  if (pod === undefined)
    throw new CommandError("PINTLE7061", `no pod of Deployment ${namespace}/${deployment} is ready: see 'pintle status'`);
  return pod;
}

/** The holders of the Leases of a namespace; none for a user that may not read them. */
async function listLeaders(client: Client, namespace: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const { items } = await client.list(Lease, { namespace, signal });
    return items.flatMap(({ spec }) => spec?.holderIdentity ?? []);
  } catch (error) {
    if (error instanceof Forbidden) return [];
    throw error;
  }
}

/** Opens the metrics endpoint of a pod through the API server, for users who may forward its ports. */
export function openPodEndpoint({ client }: TargetCluster, pod: LivePod, token: string, port?: number): OperatorEndpoint {
  const { namespace, name } = pod.metadata;
  const ports = pod.spec.containers.flatMap((container) => container.ports ?? []);
  const number = port ?? ports.find((each) => each.name === "metrics")?.containerPort ?? METRICS_PORT;
  const description = `pod ${namespace}/${name}, port ${number}`;
  const connectPod = async (signal: AbortSignal) => {
    const forwarded = await client.portForward(Pod, { namespace, name }, number, { signal }).catch((error: unknown) => {
      if (error instanceof NotFound) throw new CommandError("PINTLE7061", `${description}: the pod is gone`);
      throw error;
    });
    // The API server has authenticated the node, and the operator may have issued its certificate itself.
    const socket = connectTls({ socket: forwarded as Duplex, rejectUnauthorized: false, servername: "localhost" });
    return { forwarded, socket };
  };
  return {
    description,
    async get(path, signal) {
      const { forwarded, socket } = await connectPod(signal);
      try {
        return await readBody(
          await sendGet(new URL(`https://localhost${path}`), { token, socket, signal, description, isBounded: true }),
          description,
          signal,
        );
      } finally {
        forwarded.destroy();
      }
    },
    async open(path, headers, signal) {
      const { forwarded, socket } = await connectPod(signal);
      try {
        const response = await sendGet(new URL(`https://localhost${path}`), { token, socket, signal, description, headers });
        return { status: response.statusCode ?? 0, headers: response.headers, body: response, close: () => forwarded.destroy() };
      } catch (error) {
        forwarded.destroy();
        throw error;
      }
    },
  };
}

/** An endpoint that this machine reaches, such as that of an operator in a terminal. */
export function openUrlEndpoint(url: URL, token: string): OperatorEndpoint {
  const description = url.origin;
  return {
    description,
    get: async (path, signal) =>
      readBody(await sendGet(new URL(path, url), { token, signal, description, isBounded: true }), description, signal),
    async open(path, headers, signal) {
      const response = await sendGet(new URL(path, url), { token, signal, description, headers });
      return { status: response.statusCode ?? 0, headers: response.headers, body: response, close: () => response.destroy() };
    },
  };
}

interface GetOptions {
  readonly token: string;
  /** Default: a new connection. */
  readonly socket?: Duplex | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
  readonly description: string;
  /** Whether the whole response must arrive in time. Default: false, as of a stream. */
  readonly isBounded?: boolean | undefined;
}

/** Sends a request, and resolves with its response as it begins. */
async function sendGet(
  url: URL,
  { token, socket, headers = {}, signal, description, isBounded = false }: GetOptions,
): Promise<IncomingMessage> {
  const { request } = await import(url.protocol === "http:" ? "node:http" : "node:https");
  const limit = isBounded ? AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) : signal;
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(
        url,
        {
          headers: { ...headers, authorization: `Bearer ${token}`, connection: "close" },
          rejectUnauthorized: false,
          signal: limit,
          ...(socket === undefined ? {} : { createConnection: () => socket }),
        },
        resolve,
      );
      sent.on("error", reject).end();
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new CommandError("PINTLE7113", explainFailure(error as NodeJS.ErrnoException, url, description));
  }
}

/** What OpenSSL says about bytes that are not of its protocol, such as an answer in plain HTTP. */
const NOT_TLS = /wrong version number|packet length too long|http request/;

/** Describes a request without a response. The errors of OpenSSL name its source files: only their reason is kept. */
function explainFailure({ code = "", message }: NodeJS.ErrnoException, url: URL, description: string): string {
  if (code !== "EPROTO" && !code.startsWith("ERR_SSL_")) return `${description} does not answer: ${message}`;
  if (!NOT_TLS.test(message)) return `${description} ends the TLS handshake: ${/SSL routines:[^:]*:([^:\n]+)/.exec(message)?.[1] ?? code}`;
  // A pod is reached through a tunnel, and only with TLS, because a token is sent.
  const wayOut =
    url.origin === description ? `use http://${url.host}` : "serve its metrics over TLS, or name the port that does with --port";
  return `${description} answers without TLS: ${wayOut}`;
}

async function readBody(response: IncomingMessage, description: string, signal: AbortSignal) {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES)
        throw new CommandError(
          "PINTLE7113",
          `${description} sends more than ${MAX_RESPONSE_BYTES / 1024 / 1024} MB, which no recording is`,
        );
      chunks.push(chunk);
    }
    return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CommandError) throw error;
    throw new CommandError("PINTLE7113", `${description} does not answer: ${(error as Error).message}`);
  }
}

const TOKEN_SECONDS = 600;

/** Returns the token with which the user is known to an operator: that of the kubeconfig, or one of a ServiceAccount that is valid for ten minutes. */
export async function requestUserToken(
  { client, access, description }: TargetCluster,
  { namespace, serviceAccount }: { readonly namespace: string; readonly serviceAccount: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  if (serviceAccount !== undefined) {
    const ref = { namespace, name: serviceAccount };
    const { token } = await client.createToken(ServiceAccount, ref, { expirationSeconds: TOKEN_SECONDS, signal });
    return token;
  }
  const token = await loadBearerToken(access);
  if (token === undefined)
    throw new CommandError(
      "PINTLE7114",
      `${description}: the user of the kubeconfig has no token that an operator could verify, such as one with a client certificate: name a ServiceAccount of namespace ${namespace} that may get /recording with --service-account`,
    );
  return token;
}
