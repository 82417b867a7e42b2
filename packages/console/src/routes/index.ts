/**
 * The routes of the protocol. In: a source, its joined facts, and a request that the guard has let through. Out: the JSON of `protocol.ts`.
 */
export { createPortForwards, followLogs, type PortForwards } from "./pods.ts";
export { createView, type RouteContext, type View } from "./route-context.ts";
export { findRoute, listRoutes, matchPath, type Route, splitPath } from "./route-table.ts";
export { getSession } from "./session.ts";
