import { createTransport, loadClusterAccess } from "pintle/client";
import { systemClock } from "pintle/internal/clock";
import { PintleError } from "pintle/internal/errors";
import { createStderrLogger } from "pintle/internal/manager";
import { formatProgramHelp, type ProgramFlags, parseProgramFlags } from "./flags.ts";
import { startProgram } from "./run-program.ts";

/**
 * Runs the program until a signal. Returns its exit code: 2 for wrong flags, 1 if it cannot go on, for example without a lease. Then the process has to exit
 * at once: nothing is stopped in order, because another process may lead.
 */
export async function main(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  let flags: ProgramFlags;
  try {
    flags = parseProgramFlags(args, env);
  } catch (error) {
    if (!(error instanceof PintleError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  if (flags.help) {
    process.stdout.write(formatProgramHelp());
    return 0;
  }
  const logger = createStderrLogger(systemClock);
  const stopped = waitForSignal((signal) => logger.info("Stopping, another signal exits at once", { signal }));
  try {
    const transport = await createTransport(await loadClusterAccess({ kubeconfig: flags.kubeconfig }), {});
    const program = await startProgram({ flags, transport, logger, env });
    logger.info("Serving catalogs", { port: program.catalogPort });
    await Promise.race([stopped, program.failed]);
    await program.stop();
    await transport.close();
    return 0;
  } catch (error) {
    logger.error("The lifecycle manager ends", { error });
    return 1;
  }
}

/** Resolves at the first signal; the second one ends the process. */
function waitForSignal(onSignal: (signal: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0;
    for (const name of ["SIGTERM", "SIGINT"] as const) {
      process.on(name, () => {
        if (++signals > 1) process.exit(1);
        onSignal(name);
        resolve();
      });
    }
  });
}
