import { isIP, connect as netConnect, type Socket } from "node:net";
import { createSecureContext, type TLSSocket, connect as tlsConnect } from "node:tls";
import { openOwnConnection } from "../../recorder/index.ts";
import type { ClusterAccess, Credential } from "../access/index.ts";
import { openProxyTunnel } from "./proxy-tunnel.ts";
import { WireError } from "./wire-error.ts";

/** Opens a socket and calls `done`. The returned function cancels; `done` is not called after that. */
export type Connector = (done: (error: unknown, socket?: Socket) => void) => () => void;

/** Delay of the first TCP keep-alive probe, by which the system detects an unreachable peer. */
const KEEP_ALIVE_PROBE_MS = 15_000;
const SOCKET_OPTIONS = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS, noDelay: true } as const;

/** Returns a connector to the server of `access`: plain or TLS, direct or through a proxy. Each attempt fails after `timeout` milliseconds. */
export function createConnector(access: ClusterAccess, { ca, cert, key }: Credential, timeout: number): Connector {
  const { protocol, hostname, port } = new URL(access.server);
  const server = { host: stripBrackets(hostname), port: Number(port) || (protocol === "https:" ? 443 : 80) };
  const trust = { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: access.insecureSkipTlsVerify !== true };
  const identity = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  const name = access.tlsServerName ?? server.host;
  const encrypted = protocol === "https:" ? createTlsConnector(name, trust, identity) : undefined;
  const proxy = access.proxyUrl === undefined ? undefined : new URL(access.proxyUrl);
  const proxyAt = proxy && { host: stripBrackets(proxy.hostname), port: Number(proxy.port) || (proxy.protocol === "https:" ? 443 : 80) };
  const proxyEncrypted = proxy?.protocol === "https:" ? createTlsConnector(proxyAt!.host, trust, {}) : undefined;

  return (done) => {
    let current: Socket | undefined;
    let settled = false;
    const finish = (error: unknown, socket?: Socket) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (socket === undefined) destroySocket(current);
      done(error, socket);
    };
    const timer = setTimeout(() => finish(new WireError("CONNECT_TIMEOUT", `no connection after ${timeout / 1000} s`)), timeout);
    /** Waits until a socket is connected; its errors fail the attempt. */
    const waitForConnect = (socket: Socket, event: "connect" | "secureConnect", next: (socket: Socket) => void) => {
      current = socket;
      const onError = (error: unknown) => finish(error);
      const onClose = () => finish(new WireError("HUNG_UP", "the server closed the connection"));
      socket.once("error", onError);
      socket.once("close", onClose);
      socket.once(event, () => {
        if (settled) return;
        socket.off("error", onError);
        socket.off("close", onClose);
        next(socket);
      });
    };
    const onConnect = (socket: Socket) => finish(undefined, socket);
    const toServer = (over?: Socket) =>
      encrypted === undefined
        ? onConnect(over!)
        : waitForConnect(encrypted(over === undefined ? server : { socket: over }), "secureConnect", onConnect);

    if (proxy === undefined || proxyAt === undefined) {
      if (encrypted === undefined)
        waitForConnect(
          openOwnConnection(() => netConnect({ ...server, ...SOCKET_OPTIONS })),
          "connect",
          onConnect,
        );
      else toServer();
    } else {
      const throughProxy = (socket: Socket) =>
        openProxyTunnel(socket, { proxy, ...server }, (error) => (error === undefined ? toServer(socket) : finish(error)));
      if (proxyEncrypted === undefined)
        waitForConnect(
          openOwnConnection(() => netConnect({ ...proxyAt, ...SOCKET_OPTIONS })),
          "connect",
          throughProxy,
        );
      else waitForConnect(proxyEncrypted(proxyAt), "secureConnect", throughProxy);
    }
    return () => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      destroySocket(current);
    };
  };
}

type SocketTarget = { readonly host: string; readonly port: number } | { readonly socket: Socket };

/** Parses certificates once and resumes TLS sessions, so that connections after the first are cheaper. */
function createTlsConnector(
  name: string,
  trust: { readonly ca?: string; readonly rejectUnauthorized: boolean },
  identity: object,
): (target: SocketTarget) => TLSSocket {
  let session: Buffer | undefined;
  const { rejectUnauthorized, ...authority } = trust;
  const secureContext = createSecureContext({ ...authority, ...identity });
  // SNI does not allow IP addresses, but the certificate is still checked against the address.
  const names = isIP(name) === 0 ? { servername: name } : { host: name };
  return (target) => {
    const options = {
      ...SOCKET_OPTIONS,
      ...target,
      ...names,
      ...("socket" in target ? {} : { host: target.host }),
      rejectUnauthorized,
      secureContext,
      ALPNProtocols: ["http/1.1"],
      ...(session === undefined ? {} : { session }),
    };
    const socket = openOwnConnection(() => tlsConnect(options));
    socket.on("session", (ticket) => {
      session = ticket;
    });
    return socket;
  };
}

function destroySocket(socket: Socket | undefined): void {
  socket?.on("error", () => {});
  socket?.destroy();
}

/** Removes the brackets of an IPv6 address in a URL. */
function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
