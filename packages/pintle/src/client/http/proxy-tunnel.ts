import type { Socket } from "node:net";
import { createResponseParser } from "./response-parser.ts";
import { WireError } from "./wire-error.ts";

/** A proxy and the server to reach through it. */
export interface ProxyRoute {
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
}

/** Opens a tunnel to the server with CONNECT, over a socket that is connected to the proxy. Calls `done` once. */
export function openProxyTunnel(socket: Socket, { proxy, host, port }: ProxyRoute, done: (error: unknown) => void): void {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const authorization = username === "" ? "" : `proxy-authorization: Basic ${login}\r\n`;
  const finish = (error?: unknown) => {
    socket.pause();
    for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
    done(error);
  };
  const createRefusal = (status: number) =>
    new WireError("PROXY", `the proxy ${proxy.origin} responded with status ${status} instead of connecting to ${target}`);
  const ignore = () => {};
  const reader = createResponseParser({
    // The content-length of a successful response to CONNECT has no meaning: the tunnel begins after the head.
    onHead: (status) => finish(status >= 200 && status < 300 ? undefined : createRefusal(status)),
    onData: ignore,
    onEnd: ignore,
    onUpgrade: ignore,
  });
  const listeners = {
    data(chunk: Buffer) {
      try {
        reader.parse(chunk);
      } catch (error) {
        finish(error);
      }
    },
    error: (error: Error) => finish(error),
    close: () => finish(new WireError("HUNG_UP", `the proxy ${proxy.origin} closed the connection`)),
  };
  for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
  // As for HEAD, the response has no body, regardless of its headers.
  reader.expectResponse({ method: "HEAD" });
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization}\r\n`);
}
