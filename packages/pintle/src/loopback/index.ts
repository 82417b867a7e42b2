/**
 * What listeners without TLS share. In: a host name, an address or a request. Out: whether it belongs to this machine. Any program of this
 * machine may connect to the loopback interface, and so may any web page in its browser: the guard refuses the requests of pages. Imports nothing.
 */
export { isLoopbackHost, isLoopbackUrl } from "./loopback-host.ts";
export { BodyTooLarge, readBoundedBody } from "./read-body.ts";
export { createRequestGuard, type GuardedRequest, type RequestGuardOptions, type RequestRefusal } from "./request-guard.ts";
