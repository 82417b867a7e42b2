import { formatErrorChain, PintleError } from "../../errors/index.ts";

/** An endpoint of the manager, and the flag of `run()` that sets its address. */
export interface EndpointName {
  readonly name: string;
  readonly flag: string;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process uses the port",
  EACCES: "this user may not listen on the port",
  EADDRNOTAVAIL: "this machine does not have the address",
};

/** Awaits a server that begins to listen. Failures of the operating system become one sentence with the address and what to do. */
export async function explainListenError<T>({ name, flag }: EndpointName, address: string, listening: Promise<T>): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
    if ((error as NodeJS.ErrnoException | undefined)?.syscall !== "listen") throw error;
    const reason = REASONS[code] ?? formatErrorChain(error);
    throw new PintleError("PINTLE4011", `${name}: cannot listen on ${address}: ${reason} (${code}); set another address with ${flag}`);
  }
}
