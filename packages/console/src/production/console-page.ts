import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import type { CertificateFiles, ConsoleEndpoint, ConsoleHost } from "pintle";
import { runInBackground } from "pintle/internal/errors";
import { openServingCertificate, parseListenAddress } from "pintle/internal/manager";
import { ConfigMap } from "pintle/kinds/core/v1";
import { createFactIndex } from "../facts/index.ts";
import { loadPageFiles } from "../files/index.ts";
import { createView, type View } from "../routes/index.ts";
import { createApiHandler, SECURITY_HEADERS, sendFailure, sendFile } from "../server/index.ts";
import { createViewerSource } from "./viewer-source.ts";
import { createViewers, type Viewer } from "./viewers.ts";

/** Options of `consolePage`. */
export interface ConsolePageOptions {
  /** Where it listens: ":8444". */
  readonly address: string;
  /** Certificate and key. Default: self-signed; viewers come through `pintle console`, which reaches the pod through the API server. */
  readonly tls?: CertificateFiles | undefined;
  /**
   * Also accept client certificates that the API server's front accepts, from `extension-apiserver-authentication` in `kube-system`, which the operator
   * must be allowed to read. Default: false.
   */
  readonly clientCertificates?: boolean | undefined;
}

/** Views that are kept; the one that was used the longest ago goes first. */
const MAX_VIEWS = 32;

/**
 * A page about the operator, served by it, for `run({ console })`: runs, plans, requests and what caused them. Nothing can be written through it.
 *
 * ## Guarantees
 *
 * - Every request needs a bearer token that a TokenReview accepts, or a client certificate, and the right to `get` the path `/console`.
 * - What is about an object is shown to viewers who may `get` it (SubjectAccessReview). Secrets are shown to no viewer.
 *
 * ## Caveats
 *
 * - The error of a run is shown to who may see its object, and can name other objects.
 *
 * @example
 * ```ts
 * import { consolePage } from "@pintle/console";
 * import { type Controller, run } from "pintle";
 *
 * export const operate = (controllers: readonly Controller[]) => run({ controllers, console: consolePage({ address: ":8444" }) });
 * ```
 */
export function consolePage(options: ConsolePageOptions): ConsoleEndpoint {
  return { serve: (host) => serveConsole(host, options) };
}

async function serveConsole(host: ConsoleHost, { address, tls, clientCertificates = false }: ConsolePageOptions) {
  const listenAddress = parseListenAddress(address);
  if (listenAddress === undefined) return undefined;
  const { client, clock, logger } = host;
  let replace = (_: { readonly certificate: string; readonly key: string }) => {};
  const certificate = await openServingCertificate(tls ?? true, host, (next) => replace(next));
  const authority = clientCertificates ? await readClientAuthority(host) : undefined;
  const settings = ({ certificate: cert, key }: { readonly certificate: string; readonly key: string }) => ({
    cert,
    key,
    minVersion: "TLSv1.2" as const,
    ...(authority === undefined ? {} : { ca: authority }),
  });
  const viewers = createViewers(client, clock);
  const api = createApiHandler({
    version: "production",
    clock,
    onError: (error) => logger.error("The console failed to answer", { error }),
  });
  const views = new Map<string, View>();
  const viewOf = (viewer: Viewer): View => {
    const known = views.get(viewer.id);
    const source = known === undefined ? createViewerSource(host, viewer) : undefined;
    const view = known ?? createView(source!, createFactIndex(source!.recording));
    views.delete(viewer.id);
    views.set(viewer.id, view);
    for (const [id, oldest] of [...views].slice(0, Math.max(0, views.size - MAX_VIEWS))) {
      oldest.index[Symbol.dispose]();
      views.delete(id);
    }
    return view;
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    // A browser sends client certificates with the requests of any page.
    const site = request.headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin" && site !== "none")
      return sendFailure(response, { code: 403, reason: "Forbidden", message: "Only the page of the console may use it." });
    const viewer = await viewers.authenticate(request.headers.authorization, request.socket as TLSSocket);
    if (viewer === undefined)
      return sendFailure(response, {
        code: 401,
        reason: "Unauthorized",
        message: "Use pintle console, or send a bearer token of the cluster.",
      });
    if (!(await viewer.mayGetPath("/console")))
      return sendFailure(response, {
        code: 403,
        reason: "Forbidden",
        message: `${viewer.name} needs a ClusterRole with the verb get on the nonResourceURL /console.`,
      });
    const url = new URL(request.url ?? "/", "https://localhost");
    if (url.pathname.startsWith("/api/")) return api.handle(viewOf(viewer), request, response, url);
    sendFile(request, response, url, await loadPageFiles());
  };
  const server = createServer({ ...settings(certificate.pair), requestCert: clientCertificates, rejectUnauthorized: false });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    runInBackground(respond(request, response), (error) => {
      logger.error("The console failed to answer", { error });
      if (response.headersSent) response.destroy();
      else sendFailure(response, { code: 500, reason: "Internal", message: "The console has failed to answer." });
    });
  });
  server.on("clientError", (_, socket) => socket.destroy());
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(listenAddress.port, listenAddress.host, () => resolve());
  }).catch(async (error: unknown) => {
    await certificate.close();
    throw error;
  });
  replace = (pair) => server.setSecureContext(settings(pair));
  return {
    port: (server.address() as { readonly port: number }).port,
    async close() {
      await api[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { index } of views.values()) index[Symbol.dispose]();
      await certificate.close();
    },
  };
}

/** The authority of the cluster's client certificates. */
async function readClientAuthority({ client, logger }: ConsoleHost): Promise<string | undefined> {
  const found = await client.find(ConfigMap, { namespace: "kube-system", name: "extension-apiserver-authentication" });
  const authority = found?.data?.["client-ca-file"];
  if (authority === undefined) logger.warn("The cluster has no authority of client certificates: the console accepts tokens only", {});
  return authority;
}
