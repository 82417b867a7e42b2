/**
 * The server of the console: a loopback listener that only its own page can use, and what answers below "/api".
 *
 * In: a `ConsoleSource`. Out: a URL with a key. A request passes the guard (Host, Origin, Sec-Fetch-Site, header of writes), then the login, then a route.
 */
export { type ConsoleServer, type ConsoleServerOptions, type ServedFiles, startConsoleServer } from "./console-server.ts";
