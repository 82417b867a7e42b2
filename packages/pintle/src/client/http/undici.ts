/// <reference path="./undici-parts.d.ts" />
import type * as Whole from "undici";

/** The parts of undici that are used. */
export interface Undici extends Pick<typeof Whole, "Client" | "buildConnector"> {
  /** Loaded only for those who go through a proxy. */
  readonly ProxyAgent?: typeof Whole.ProxyAgent;
}

/**
 * Loaded when the first connection is about to be made. The whole of undici brings fetch, caches and mocks, which take three
 * times as long to load and twice the memory; a version that keeps its parts elsewhere is loaded whole all the same.
 */
export async function undici(proxied: boolean): Promise<Undici> {
  if (proxied) return whole();
  try {
    const [client, connect] = await Promise.all([import("undici/lib/dispatcher/client.js"), import("undici/lib/core/connect.js")]);
    return { Client: client.default, buildConnector: connect.default };
  } catch {
    return whole();
  }
}

/** By its default export, which is also there when a bundler has taken the package in. */
const whole = async (): Promise<Undici> => (await import("undici")).default as unknown as Undici;
