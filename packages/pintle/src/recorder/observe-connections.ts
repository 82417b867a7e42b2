import { subscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";

type Listener = (what: string) => void;

const listeners = new Set<Listener>();
/** How often connections of this library are opened now: they are not reported. */
let own = 0;

interface FetchMessage {
  readonly request?: { readonly origin?: string | URL | undefined; readonly method?: string | undefined };
}
interface HttpMessage {
  readonly request?: { readonly method?: string | undefined; readonly host?: string | undefined };
}

const report = (what: string) => {
  if (own === 0) for (const listener of listeners) listener(what);
};
const onFetch = (message: unknown) => {
  const { request } = message as FetchMessage;
  report(`fetch ${request?.method ?? "GET"} ${request?.origin ?? ""}`.trimEnd());
};
const onHttp = (message: unknown) => {
  const { request } = message as HttpMessage;
  report(`http ${request?.method ?? "GET"} ${request?.host ?? ""}`.trimEnd());
};
const CHANNELS = { "undici:request:create": onFetch, "http.client.request.start": onHttp } as const;

const { connect } = Socket.prototype;
/** Node has a channel for `net.connect` only; drivers of databases call the method. */
const reportingConnect: typeof connect = function (this: Socket, ...args: Parameters<typeof connect>) {
  report("socket");
  return connect.apply(this, args);
} as typeof connect;

let isStarted = false;
/** Once for the process, because passes begin and end thousands of times per second; without a recorder, never. */
function start(): void {
  isStarted = true;
  for (const [name, onMessage] of Object.entries(CHANNELS)) subscribe(name, onMessage);
  Socket.prototype.connect = reportingConnect;
}

/**
 * Calls `listener` for every request and connection that code of this process opens, except those of this library, until the returned function is
 * called. Node does not say which of several concurrent passes opened it, so all that run are told.
 */
export function observeConnections(listener: Listener): () => void {
  if (!isStarted) start();
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Opens a connection of this library. */
export function openOwnConnection<T>(open: () => T): T {
  own++;
  try {
    return open();
  } finally {
    own--;
  }
}
