import { isIP, connect as netConnect, type Socket } from "node:net";
import { createSecureContext, type TLSSocket, connect as tlsConnect } from "node:tls";
import type { Access, Credential } from "../access/index.ts";
import { tunnel } from "./tunnel.ts";
import { WireError } from "./wire-error.ts";

/** Opens a connection and tells; gives a way to give up, after which nothing is told. */
export type Opener = (done: (error: unknown, socket?: Socket) => void) => () => void;

/** The first probe of a quiet connection, so that the system notices a peer that is gone. */
const PROBE = 15_000;
const KEPT = { keepAlive: true, keepAliveInitialDelay: PROBE, noDelay: true } as const;

/** Opens connections to the server of `access`: plain or TLS, straight or through a proxy; each in `timeout` milliseconds or not at all. */
export function opener(access: Access, { ca, cert, key }: Credential, timeout: number): Opener {
  const { protocol, hostname, port } = new URL(access.server);
  const server = { host: bare(hostname), port: Number(port) || (protocol === "https:" ? 443 : 80) };
  const trust = { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: access.insecure !== true };
  const identity = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  const name = access.serverName ?? server.host;
  const encrypted = protocol === "https:" ? encryption(name, trust, identity) : undefined;
  const proxy = access.proxy === undefined ? undefined : new URL(access.proxy);
  const proxyAt = proxy && { host: bare(proxy.hostname), port: Number(proxy.port) || (proxy.protocol === "https:" ? 443 : 80) };
  const proxyEncrypted = proxy?.protocol === "https:" ? encryption(proxyAt!.host, trust, {}) : undefined;

  return (done) => {
    let current: Socket | undefined;
    let over = false;
    const finish = (error: unknown, socket?: Socket) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      if (socket === undefined) giveUp(current);
      done(error, socket);
    };
    const timer = setTimeout(() => finish(new WireError("CONNECT_TIMEOUT", `no connection after ${timeout / 1000} s`)), timeout);
    /** Follows a socket until it is connected; its errors are ours until then. */
    const follow = (socket: Socket, event: "connect" | "secureConnect", next: (socket: Socket) => void) => {
      current = socket;
      const failed = (error: unknown) => finish(error);
      const closed = () => finish(new WireError("HUNG_UP", "the other side closed the connection"));
      socket.once("error", failed);
      socket.once("close", closed);
      socket.once(event, () => {
        if (over) return;
        socket.off("error", failed);
        socket.off("close", closed);
        next(socket);
      });
    };
    const last = (socket: Socket) => finish(undefined, socket);
    const toServer = (over?: Socket) =>
      encrypted === undefined ? last(over!) : follow(encrypted(over === undefined ? server : { socket: over }), "secureConnect", last);

    if (proxy === undefined || proxyAt === undefined) {
      if (encrypted === undefined) follow(netConnect({ ...server, ...KEPT }), "connect", last);
      else toServer();
    } else {
      const through = (socket: Socket) =>
        tunnel(socket, { proxy, ...server }, (error) => (error === undefined ? toServer(socket) : finish(error)));
      if (proxyEncrypted === undefined) follow(netConnect({ ...proxyAt, ...KEPT }), "connect", through);
      else follow(proxyEncrypted(proxyAt), "secureConnect", through);
    }
    return () => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      giveUp(current);
    };
  };
}

type Place = { readonly host: string; readonly port: number } | { readonly socket: Socket };

/** Certificates are read once for all connections, and sessions are remembered: connections after the first are cheaper to make. */
function encryption(
  name: string,
  trust: { readonly ca?: string; readonly rejectUnauthorized: boolean },
  identity: object,
): (place: Place) => TLSSocket {
  let session: Buffer | undefined;
  const { rejectUnauthorized, ...authority } = trust;
  const secureContext = createSecureContext({ ...authority, ...identity });
  // An address is no name to ask for, but what the certificate is checked against all the same.
  const names = isIP(name) === 0 ? { servername: name } : { host: name };
  return (place) => {
    const socket = tlsConnect({
      ...KEPT,
      ...place,
      ...names,
      ...("socket" in place ? {} : { host: place.host }),
      rejectUnauthorized,
      secureContext,
      ALPNProtocols: ["http/1.1"],
      ...(session === undefined ? {} : { session }),
    });
    socket.on("session", (given) => {
      session = given;
    });
    return socket;
  };
}

function giveUp(socket: Socket | undefined): void {
  socket?.on("error", () => {});
  socket?.destroy();
}

/** An IPv6 address without the brackets it has in a URL. */
function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
