import { type ApiError, internalError } from "../../status/index.ts";
import type { RemoteEnd } from "./remote-end.ts";

/** Tells somebody who is connected that there is nothing to be connected to. */
export async function refused(remote: RemoteEnd, why: ApiError): Promise<void> {
  const hearing = remote.hear({ input: async () => {}, endInput() {}, resize() {} });
  const { status } = why.reason === "InternalError" ? why : internalError(`unable to upgrade connection: ${why.message}`);
  await remote.finish(status).catch(() => {});
  await hearing;
}
