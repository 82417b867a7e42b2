import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import type { Container, GRPCAction, HTTPGetAction, Probe, TCPSocketAction } from "pintle/kinds/core/v1";
import { runCommand } from "../container/run-command.ts";
import type { ProcessGuard } from "../runtime/process-guard.ts";
import type { RunningContainer } from "../runtime/running-container.ts";

/** The result of a probe: undefined for success, otherwise the failure message. */
export type ProbeResult = string | undefined;

/** Resolves a container port by number or name. */
export function resolvePort(port: number | string, { ports = [] }: Container): number | undefined {
  if (typeof port === "number" || /^\d+$/.test(port)) return Number(port);
  return ports.find(({ name }) => name === port)?.containerPort;
}

export function probeHttp(action: HTTPGetAction, container: Container, address: string, timeout: number): Promise<ProbeResult> {
  const port = resolvePort(action.port, container);
  if (port === undefined) return Promise.resolve(`couldn't find port: ${action.port}`);
  const isSecure = action.scheme === "HTTPS";
  const host = action.host ?? address;
  const path = action.path === undefined || action.path === "" ? "/" : action.path;
  const url = `${isSecure ? "https" : "http"}://${host}:${port}${path.startsWith("/") ? path : `/${path}`}`;
  const headers: Record<string, string> = { "User-Agent": "kube-probe/1.36", Accept: "*/*", Connection: "close" };
  for (const { name, value } of action.httpHeaders ?? []) headers[name] = value;
  return new Promise((resolve) => {
    const options = { headers, agent: false as const, ...(isSecure ? { rejectUnauthorized: false } : {}) };
    const finish = (result: ProbeResult) => {
      clearTimeout(timer);
      resolve(result);
      request.destroy();
    };
    const request = (isSecure ? https : http).get(url, options, (response) => {
      const { statusCode = 0 } = response;
      response.resume();
      finish(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP probe failed with statuscode: ${statusCode}`);
    });
    request.on("error", (error: NodeJS.ErrnoException) => finish(`Get "${url}": ${formatDialError(error, host, port)}`));
    const timer = setTimeout(
      () => finish(`Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`),
      timeout,
    );
  });
}

export function probeTcp(action: TCPSocketAction, container: Container, address: string, timeout: number): Promise<ProbeResult> {
  const port = resolvePort(action.port, container);
  if (port === undefined) return Promise.resolve(`couldn't find port: ${action.port}`);
  const host = action.host ?? address;
  return new Promise((resolve) => {
    const socket = net.connect({ host, port });
    const finish = (result: ProbeResult) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => finish(undefined));
    socket.on("error", (error: NodeJS.ErrnoException) => finish(formatDialError(error, host, port)));
    const timer = setTimeout(() => finish(`dial tcp ${host}:${port}: i/o timeout`), timeout);
  });
}

/** Calls grpc.health.v1.Health/Check, whose messages are a string and an enum. */
export function probeGrpc({ port, service = "" }: GRPCAction, address: string, timeout: number): Promise<ProbeResult> {
  const name = Buffer.from(service);
  const message = service === "" ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
  return new Promise((resolve) => {
    const session = http2.connect(`http://${address}:${port}`);
    const finish = (result: ProbeResult) => {
      clearTimeout(timer);
      session.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => finish(`timeout: failed to connect service "${address}:${port}" within ${timeout / 1000}s`), timeout);
    session.on("error", (error) => finish(`failed to connect service "${address}:${port}": ${error.message}`));
    const request = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
    });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", (error) => finish(`rpc error: ${error.message}`));
    request.once("end", () => {
      const status = Buffer.concat(chunks).subarray(5);
      finish(
        status[0] === 0x08 && status[1] === 1 ? undefined : `service unhealthy (responded with "${STATUSES[status[1] ?? 0] ?? "UNKNOWN"}")`,
      );
    });
    request.end(frame);
  });
}

const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

/** Formats a connection error as Go does. */
function formatDialError(error: NodeJS.ErrnoException, host: string, port: number): string {
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "connection refused",
    ECONNRESET: "connection reset by peer",
    EHOSTUNREACH: "no route to host",
    ENETUNREACH: "network is unreachable",
  };
  const reason = reasons[error.code ?? ""];
  if (error.code === "ECONNRESET") return `read tcp ${host}:${port}: read: ${reason}`;
  return reason === undefined ? error.message : `dial tcp ${host}:${port}: connect: ${reason}`;
}

/** Runs a probe once. */
export async function runProbe(probe: Probe, container: RunningContainer, guard: ProcessGuard): Promise<ProbeResult> {
  const timeout = (probe.timeoutSeconds ?? 1) * 1000;
  const { address } = container.sandbox;
  if (probe.httpGet !== undefined) return probeHttp(probe.httpGet, container.spec, address, timeout);
  if (probe.tcpSocket !== undefined) return probeTcp(probe.tcpSocket, container.spec, address, timeout);
  if (probe.grpc !== undefined) return probeGrpc(probe.grpc, address, timeout);
  const command = probe.exec?.command ?? [];
  if (command.length === 0) return undefined;
  try {
    const { code, output } = await runCommand(container, command, guard, timeout);
    if (code === undefined) return `command timed out: "${command.join(" ")}" timed out after ${timeout / 1000}s`;
    return code === 0 ? undefined : output;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
