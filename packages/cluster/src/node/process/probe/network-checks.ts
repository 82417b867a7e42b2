import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import type { Container, GRPCAction, HTTPGetAction, TCPSocketAction } from "pintle/kinds/core/v1";
import type { Answer } from "./answer.ts";

/** The number a port's name stands for in its container. */
export function portOf(port: number | string, { ports = [] }: Container): number | undefined {
  if (typeof port === "number" || /^\d+$/.test(port)) return Number(port);
  return ports.find(({ name }) => name === port)?.containerPort;
}

export function httpCheck(action: HTTPGetAction, container: Container, address: string, timeout: number): Promise<Answer> {
  const port = portOf(action.port, container);
  if (port === undefined) return Promise.resolve(`couldn't find port: ${action.port}`);
  const isSecure = action.scheme === "HTTPS";
  const host = action.host ?? address;
  const path = action.path === undefined || action.path === "" ? "/" : action.path;
  const url = `${isSecure ? "https" : "http"}://${host}:${port}${path.startsWith("/") ? path : `/${path}`}`;
  const headers: Record<string, string> = { "User-Agent": "kube-probe/1.36", Accept: "*/*", Connection: "close" };
  for (const { name, value } of action.httpHeaders ?? []) headers[name] = value;
  return new Promise((resolve) => {
    const options = { headers, agent: false as const, ...(isSecure ? { rejectUnauthorized: false } : {}) };
    const done = (answer: Answer) => {
      clearTimeout(timer);
      resolve(answer);
      request.destroy();
    };
    const request = (isSecure ? https : http).get(url, options, (response) => {
      const { statusCode = 0 } = response;
      response.resume();
      done(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP probe failed with statuscode: ${statusCode}`);
    });
    request.on("error", (error: NodeJS.ErrnoException) => done(`Get "${url}": ${dialed(error, host, port)}`));
    const timer = setTimeout(
      () => done(`Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`),
      timeout,
    );
  });
}

export function tcpCheck(action: TCPSocketAction, container: Container, address: string, timeout: number): Promise<Answer> {
  const port = portOf(action.port, container);
  if (port === undefined) return Promise.resolve(`couldn't find port: ${action.port}`);
  const host = action.host ?? address;
  return new Promise((resolve) => {
    const socket = net.connect({ host, port });
    const done = (answer: Answer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => done(undefined));
    socket.once("error", (error: NodeJS.ErrnoException) => done(dialed(error, host, port)));
    const timer = setTimeout(() => done(`dial tcp ${host}:${port}: i/o timeout`), timeout);
  });
}

/** grpc.health.v1.Health/Check, whose messages are a name and a number. */
export function grpcCheck({ port, service = "" }: GRPCAction, address: string, timeout: number): Promise<Answer> {
  const name = Buffer.from(service);
  const message = service === "" ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
  return new Promise((resolve) => {
    const session = http2.connect(`http://${address}:${port}`);
    const done = (answer: Answer) => {
      clearTimeout(timer);
      session.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => done(`timeout: failed to connect service "${address}:${port}" within ${timeout / 1000}s`), timeout);
    session.once("error", (error) => done(`failed to connect service "${address}:${port}": ${error.message}`));
    const request = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
    });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("error", (error) => done(`rpc error: ${error.message}`));
    request.once("end", () => {
      const status = Buffer.concat(chunks).subarray(5);
      done(
        status[0] === 0x08 && status[1] === 1 ? undefined : `service unhealthy (responded with "${STATUSES[status[1] ?? 0] ?? "UNKNOWN"}")`,
      );
    });
    request.end(frame);
  });
}

const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

/** A failed connection as Go tells it. */
function dialed(error: NodeJS.ErrnoException, host: string, port: number): string {
  const why: Readonly<Record<string, string>> = {
    ECONNREFUSED: "connection refused",
    ECONNRESET: "connection reset by peer",
    EHOSTUNREACH: "no route to host",
    ENETUNREACH: "network is unreachable",
  };
  const known = why[error.code ?? ""];
  if (error.code === "ECONNRESET") return `read tcp ${host}:${port}: read: ${known}`;
  return known === undefined ? error.message : `dial tcp ${host}:${port}: connect: ${known}`;
}
