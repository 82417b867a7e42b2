import type { IncomingMessage, ServerResponse } from "node:http";
import { loadPageFiles } from "@pintle/console/internal/files";
import { startConsoleServer } from "@pintle/console/internal/server";
import { CommandError, type Io } from "../command/index.ts";
import type { OperatorEndpoint } from "../target-cluster/index.ts";
import { announceConsole, parsePort, type StartConsoleOptions, type StartedConsole } from "./start-console.ts";

/** Serves the console of a running operator on this machine: the token stays in this process, and only reads are passed on. */
export async function forwardConsole(endpoint: OperatorEndpoint, options: StartConsoleOptions): Promise<StartedConsole> {
  await checkConsole(endpoint, options.io);
  const server = await startConsoleServer({
    source: (request, response, signal) => forward(endpoint, request, response, signal),
    loadFiles: loadPageFiles,
    version: options.version,
    port: parsePort(options.port),
    onError: (error) => options.io.err(`console: ${(error as Error).message}\n`),
  });
  announceConsole(server, options);
  return server;
}

async function checkConsole(endpoint: OperatorEndpoint, { signal }: Pick<Io, "signal">): Promise<void> {
  const { status } = await endpoint.get("/api/session", signal);
  const refuse = (what: string) => new CommandError("PINTLE7142", `${endpoint.description} ${what}`);
  if (status === 401)
    throw refuse("does not accept the token: the operator verifies it with a TokenReview, for which its manifests have the permission");
  if (status === 403) throw refuse("denies access: you need a ClusterRole with the verb get on the nonResourceURL /console");
  if (status !== 200) throw refuse(`serves no console (HTTP ${status}): pass \`console: consolePage({ address: ":8444" })\` to run()`);
}

/** Headers of the page that the operator needs; cookies and everything else stay here. */
const REQUEST_HEADERS = ["accept", "last-event-id"];
const RESPONSE_HEADERS = ["content-type", "cache-control", "content-disposition"];

async function forward(endpoint: OperatorEndpoint, request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const headers = Object.fromEntries(
    REQUEST_HEADERS.flatMap((name) => (request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]])),
  );
  const { status, headers: answered, body, close } = await endpoint.open(request.url ?? "/", headers, signal);
  try {
    response.writeHead(
      status,
      Object.fromEntries(RESPONSE_HEADERS.flatMap((name) => (answered[name] === undefined ? [] : [[name, String(answered[name])]]))),
    );
    for await (const chunk of body)
      if (!response.write(chunk)) await new Promise<void>((resolve) => response.once("drain", resolve).once("close", resolve));
    response.end();
  } finally {
    close();
  }
}
