import { type Client, Conflict, Forbidden, NotFound } from "pintle/client";
import { EndpointSlice } from "pintle/kinds/discovery/v1";
import { MANAGED } from "../managed.ts";
import type { SliceStep } from "./slices.ts";

/** Writes what a step says. A namespace that is going takes no new slices, and needs none. */
export async function carryOut(client: Client, { create, replace, remove }: SliceStep): Promise<void> {
  for (const slice of create) {
    try {
      await client.create(EndpointSlice, slice as never, MANAGED);
    } catch (error) {
      if (!(error instanceof Forbidden) && !(error instanceof NotFound)) throw error;
    }
  }
  for (const slice of replace) await client.replace(EndpointSlice, slice, MANAGED);
  for (const { metadata } of remove) {
    try {
      await client.delete(EndpointSlice, metadata, { uid: metadata.uid });
    } catch (error) {
      if (!(error instanceof NotFound) && !(error instanceof Conflict)) throw error;
    }
  }
}
