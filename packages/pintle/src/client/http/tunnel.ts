import type { Socket } from "node:net";
import { responseReader } from "./response-reader.ts";
import { WireError } from "./wire-error.ts";

export interface Through {
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
}

/** Asks a proxy for a way to the server over a connection to it. */
export function tunnel(socket: Socket, { proxy, host, port }: Through, done: (error: unknown) => void): void {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const authorization = username === "" ? "" : `proxy-authorization: Basic ${login}\r\n`;
  const finish = (error?: unknown) => {
    socket.pause();
    for (const [event, listener] of Object.entries(listeners)) socket.off(event, listener);
    done(error);
  };
  const refused = (status: number) =>
    new WireError("PROXY", `the proxy ${proxy.origin} answered ${status} instead of connecting to ${target}`);
  const never = () => {};
  const reader = responseReader({
    // What a successful answer to CONNECT says of its length means nothing: the tunnel begins where its head ends.
    head: (status) => finish(status >= 200 && status < 300 ? undefined : refused(status)),
    data: never,
    end: never,
    upgraded: never,
  });
  const listeners = {
    data(chunk: Buffer) {
      try {
        reader.take(chunk);
      } catch (error) {
        finish(error);
      }
    },
    error: (error: Error) => finish(error),
    close: () => finish(new WireError("HUNG_UP", `the proxy ${proxy.origin} closed the connection`)),
  };
  for (const [event, listener] of Object.entries(listeners)) socket.on(event, listener);
  // A HEAD has no body, whatever its answer says, and neither has this.
  reader.begin({ method: "HEAD" });
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization}\r\n`);
}
