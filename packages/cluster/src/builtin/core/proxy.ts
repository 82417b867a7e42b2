import { ApiError } from "../../status/index.ts";
import type { Connection } from "../rules.ts";

/** Of a Service or Node: nodes so far are simulated, so nothing answers. */
export const proxy: Connection = async () => {
  throw new ApiError(503, "ServiceUnavailable", "nothing listens behind this proxy: the nodes of this cluster are simulated", {});
};
