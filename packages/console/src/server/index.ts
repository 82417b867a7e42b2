/**
 * The server of the console: a loopback listener that only its own page can use, and what answers below "/api".
 *
 * In: a `ConsoleSource`. Out: a URL with a key. A request passes the guard (Host, Origin, Sec-Fetch-Site, header of writes), then the login, then a route.
 */
export { createApiHandler, sendFailure } from "./api-handler.ts";
export {
  type ConsoleForward,
  type ConsoleServer,
  type ConsoleServerOptions,
  type ServedFiles,
  sendFile,
  startConsoleServer,
} from "./console-server.ts";
export { SECURITY_HEADERS } from "./headers.ts";
