import { subscribe, unsubscribe } from "node:diagnostics_channel";
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

function start(): void {
  for (const [name, onMessage] of Object.entries(CHANNELS)) subscribe(name, onMessage);
  Socket.prototype.connect = reportingConnect;
}

function stop(): void {
  for (const [name, onMessage] of Object.entries(CHANNELS)) unsubscribe(name, onMessage);
  // Unless another tool has replaced it meanwhile, which calls ours.
  if (Socket.prototype.connect === reportingConnect) Socket.prototype.connect = connect;
}

/**
 * Calls `listener` for every request and connection that code of this process opens, except those of this library, until the returned function is
 * called. Node does not say which of several concurrent passes opened it, so all that run are told.
 */
export function observeConnections(listener: Listener): () => void {
  if (listeners.size === 0) start();
  listeners.add(listener);
  return () => {
    if (listeners.delete(listener) && listeners.size === 0) stop();
  };
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
