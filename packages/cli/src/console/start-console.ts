import { loadPageFiles } from "@pintle/console/internal/files";
import { startConsoleServer } from "@pintle/console/internal/server";
import type { ConsoleSource } from "@pintle/console/internal/source";
import { CommandError, type Io } from "../command/index.ts";
import { openBrowser } from "./open-browser.ts";

/** A console of this process. */
export interface StartedConsole extends AsyncDisposable {
  readonly url: string;
}

/** Starts the console of a source, prints its URL, and opens it if asked. */
export async function startConsole(
  source: ConsoleSource,
  {
    port,
    open,
    version,
    io,
  }: { readonly port: string | undefined; readonly open: boolean; readonly version: string; readonly io: Pick<Io, "out" | "err"> },
): Promise<StartedConsole> {
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw new CommandError("PINTLE7005", `invalid --console-port "${port}": must be a port number`, 2);
  const server = await startConsoleServer({
    source,
    loadFiles: loadPageFiles,
    version,
    port: port === undefined ? undefined : Number(port),
    onError: (error) => io.err(`console: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  });
  io.out(`console ${server.url}\n`);
  if (open) openBrowser(server.url, () => io.err("no browser could be opened: open the URL above\n"));
  return server;
}
