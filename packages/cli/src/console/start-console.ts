import { loadPageFiles } from "@pintle/console/internal/files";
import { startConsoleServer } from "@pintle/console/internal/server";
import type { ConsoleSource } from "@pintle/console/internal/source";
import { CommandError, type Io } from "../command/index.ts";
import { openBrowser } from "./open-browser.ts";

/** A console of this process. */
export interface StartedConsole extends AsyncDisposable {
  readonly url: string;
}

export interface StartConsoleOptions {
  readonly port: string | undefined;
  readonly open: boolean;
  readonly version: string;
  readonly io: Pick<Io, "out" | "err" | "signal">;
}

/** Starts the console of a source, prints its URL, and opens it if asked. */
export async function startConsole(source: ConsoleSource, options: StartConsoleOptions): Promise<StartedConsole> {
  const { port, version, io } = options;
  const server = await startConsoleServer({
    source,
    loadFiles: loadPageFiles,
    version,
    port: parsePort(port),
    onError: (error) => io.err(`console: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  });
  announceConsole(server, options);
  return server;
}

export function parsePort(port: string | undefined): number | undefined {
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw new CommandError("PINTLE7005", `invalid port "${port}" of the console: must be a number`, 2);
  return port === undefined ? undefined : Number(port);
}

export function announceConsole({ url }: StartedConsole, { open, io }: StartConsoleOptions): void {
  io.out(`console ${url}\n`);
  if (open) openBrowser(url, () => io.err("no browser could be opened: open the URL above\n"));
}
