import type { ServerHttp2Session } from "node:http2";
import type { Server, Socket } from "node:net";
import type { HttpLimits } from "./limits.ts";

/** How long a client may take to answer a ping. */
const PING_TIMEOUT_MS = 30_000;

interface TrackedConnection {
  requests: number;
  close(): void;
}

/** Tracks the connections of a listener and closes those that are idle for too long, silent, or too many. */
export interface ConnectionTracker {
  /** Records that a connection, the session of HTTP/2 or the socket of HTTP/1.1, serves a request; the returned function records its end. */
  beginRequest(connection: object): () => void;
  closeAll(): void;
}

export function trackConnections(server: Server, secure: boolean, { maxConnections, idleTimeout }: HttpLimits): ConnectionTracker {
  const sockets = new Set<Socket>();
  const tracked = new WeakMap<object, TrackedConnection>();
  /** Connections without a request, those idle for the longest time first. */
  const idle = new Set<TrackedConnection>();
  const track = (connection: object, close: () => void): TrackedConnection => {
    const entry = { requests: 0, close };
    tracked.set(connection, entry);
    idle.add(entry);
    return entry;
  };
  const trackHttp1 = (socket: Socket) => {
    const entry = track(socket, () => socket.destroy());
    socket.once("close", () => idle.delete(entry));
    socket.setTimeout(idleTimeout, () => {
      if (entry.requests === 0) socket.destroy();
    });
  };
  // Without a listener, Node would close a connection whose watch has no events.
  server.on("timeout", () => {});
  server.on(secure ? "secureConnection" : "connection", (socket: Socket & { readonly alpnProtocol?: unknown }) => {
    socket.setNoDelay(true);
    socket.on("error", () => {});
    if (socket.alpnProtocol !== "h2") trackHttp1(socket);
  });
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => {});
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    if (sockets.size <= maxConnections) return;
    const [oldest] = idle;
    if (oldest === undefined) socket.destroy();
    else {
      idle.delete(oldest);
      oldest.close();
    }
  });
  server.on("session", (session: ServerHttp2Session) => {
    const entry = track(session, () => session.destroy());
    session.once("close", () => idle.delete(entry));
    const checkIdle = () => {
      if (entry.requests === 0) return session.close();
      // A watch without events is no sign of a client that is gone.
      checkAlive(session);
      session.setTimeout(idleTimeout, checkIdle);
    };
    session.setTimeout(idleTimeout, checkIdle);
  });
  return {
    beginRequest(connection) {
      const entry = tracked.get(connection);
      if (entry === undefined) return () => {};
      if (entry.requests++ === 0) idle.delete(entry);
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        if (--entry.requests === 0 && (connection as { readonly destroyed?: boolean }).destroyed !== true) idle.add(entry);
      };
    },
    closeAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function checkAlive(session: ServerHttp2Session): void {
  const timer = setTimeout(() => session.destroy(), PING_TIMEOUT_MS);
  timer.unref();
  try {
    session.ping(() => clearTimeout(timer));
  } catch {
    // The session was destroyed meanwhile.
    clearTimeout(timer);
  }
}
